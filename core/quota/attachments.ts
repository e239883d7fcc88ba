import type { Actor } from "../actor.ts";
import { type Attachment, attachmentKey, attachmentsPartition } from "../attachment/attachment.table.ts";
import { entryKey, type TimelineEntry } from "../comment/comment.table.ts";
import { isOfPresentFormat } from "../data-format.ts";
import type { Forge } from "../forge.ts";
import { type Issue, issueKey } from "../issue/issue.table.ts";
import type { Owner } from "../owner/owner.ts";
import type { PageRequest } from "../page.ts";
import { type Release, releaseKey } from "../release/release.table.ts";
import type { RepositoryCard } from "../repository/repository.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import { listSizedThings, type ReadLargest } from "./sized-things.ts";

/** An attachment that counts, with what it is on. */
export interface UsedAttachment {
  readonly attachment: Attachment;
  readonly card: RepositoryCard;
  readonly on:
    | { readonly kind: "issue"; readonly issue: Issue }
    | { readonly kind: "comment"; readonly comment: TimelineEntry }
    | { readonly kind: "release"; readonly release: Release };
}

/**
 * A page of the attachments that count for an owner, whoever uploaded them, the largest first, with the number of all.
 * Attachments that have just lost their issue, comment or release are left out, though they count until the next tick.
 */
export async function listUsedAttachments(
  forge: Forge,
  actor: Actor,
  owner: Owner,
  page: PageRequest,
): Promise<{ readonly items: UsedAttachment[]; readonly total: number }> {
  const readLargest = (await isOfPresentFormat(forge.table)) ? undefined : largestOfAll;
  const { items, total } = await listSizedThings(forge, actor, owner, "attachments", page, readLargest);
  const keys = items.map(({ id, card }) => attachmentKey(card.repositoryId, id));
  const attachments = await forge.table.getAll<Attachment>(keys);
  const found = items.flatMap(({ card }, at) => {
    const attachment = attachments.get(keyText(keys[at] as TableKey));
    return attachment === undefined ? [] : [{ card, attachment }];
  });
  const targets = await forge.table.getAll(found.map(({ attachment }) => targetKey(attachment)));
  return {
    items: found.flatMap(({ card, attachment }) => {
      const on = targetIn(targets, attachment);
      return on === undefined ? [] : [{ card, attachment, on }];
    }),
    total,
  };
}

/** Data of format 1 has no rows by size until a job is through. */
const largestOfAll: ReadLargest = async ({ table }, repositoryId, most) => {
  const all = await table.queryAll<Attachment>({ pk: attachmentsPartition(repositoryId) });
  return all.sort((one, other) => other.sizeBytes - one.sizeBytes || one.id - other.id).slice(0, most);
};

function targetKey({ repositoryId, target }: Attachment): TableKey {
  if (target.kind === "release") return releaseKey(repositoryId, target.number);
  const { number, commentId } = target;
  return commentId === 0 ? issueKey(repositoryId, number) : entryKey(repositoryId, number, commentId);
}

function targetIn(
  targets: ReadonlyMap<string, Item>,
  attachment: Attachment,
): UsedAttachment["on"] | undefined {
  const item = targets.get(keyText(targetKey(attachment)));
  if (item === undefined) return undefined;
  const { target } = attachment;
  if (target.kind === "release") return { kind: "release", release: item as Release };
  if (target.commentId === 0) return { kind: "issue", issue: item as Issue };
  return { kind: "comment", comment: item as TimelineEntry };
}
