import type { Attachment } from "#core/attachment/attachment.table";
import { linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import type { AttachmentJson } from "./schema.ts";

/** An attachment; its address beside the API is that of its file, wherever that lies. */
export const presentAttachment = ({ config }: Pick<View, "config">, one: Attachment): AttachmentJson => ({
  id: one.id,
  name: one.name,
  size: one.sizeBytes,
  download_count: one.downloads,
  created_at: timestamp(one.createdAt),
  uuid: one.uuid,
  browser_download_url: one.externalUrl ?? linkTo(config, "attachments", one.uuid),
  type: one.externalUrl === undefined ? "attachment" : "external",
});

/** Those of these ids, in their order. */
export const presentAttachments = (
  view: Pick<View, "config">,
  ids: readonly number[] = [],
  found: ReadonlyMap<number, Attachment>,
): AttachmentJson[] =>
  ids.flatMap((id) => {
    const attachment = found.get(id);
    return attachment === undefined ? [] : [presentAttachment(view, attachment)];
  });
