import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Attachment } from "../attachment/schema.ts";
import { TagArchiveDownloadCount } from "../git-data/schema.ts";
import { User } from "../user/schema.ts";

export const Release = z
  .object({
    id: z.int(),
    tag_name: z.string(),
    target_commitish: z.string(),
    name: z.string(),
    body: z.string(),
    url: z.string(),
    html_url: z.string(),
    tarball_url: z.string(),
    zipball_url: z.string(),
    hide_archive_links: z.boolean(),
    upload_url: z.string(),
    draft: z.boolean(),
    prerelease: z.boolean(),
    created_at: dateTime,
    published_at: dateTime,
    author: User,
    assets: z.array(Attachment),
    archive_download_count: TagArchiveDownloadCount,
  })
  .openapi("Release");
export type ReleaseJson = z.infer<typeof Release>;

const members = {
  target_commitish: z
    .string()
    .optional()
    .openapi({ description: "where a tag is made that is not there yet: a branch, tag or commit" }),
  name: z.string().optional(),
  body: z.string().optional(),
  draft: z.boolean().optional().openapi({ description: "a draft has no tag before it is published" }),
  prerelease: z.boolean().optional(),
  hide_archive_links: z.boolean().optional(),
};

export const CreateReleaseOption = z
  .object({
    tag_name: z.string().min(1),
    ...members,
    tag_message: z
      .string()
      .optional()
      .openapi({ description: "with a message a tag that is made is an annotated one" }),
  })
  .openapi("CreateReleaseOption");

export const EditReleaseOption = z
  .object({ tag_name: z.string().optional(), ...members })
  .openapi("EditReleaseOption");
export type EditReleaseOptionJson = z.infer<typeof EditReleaseOption>;

/** The form of an upload. */
export const AssetForm = z.object({
  attachment: z.string().optional().openapi({ format: "binary" }),
  name: z.string().optional().openapi({ description: "in place of the file's own; the query's comes first" }),
  external_url: z
    .string()
    .optional()
    .openapi({ description: "in place of a file: where it lies; the query may have it instead" }),
});
