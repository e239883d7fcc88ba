import { entryKey, type TimelineEntry } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { keyText } from "../table/write.ts";

/** So many comments are in memory at a time: each may have 192 KiB. */
const atOnce = 20;

/** Comments of a review, in the order of these ids, a part of them at a time; those that are gone are left out. */
export async function* readComments(
  { table }: Forge,
  { repositoryId, number }: Pick<PullRequest, "repositoryId" | "number">,
  ids: readonly number[],
): AsyncGenerator<readonly TimelineEntry[]> {
  for (let at = 0; at < ids.length; at += atOnce) {
    const keys = ids.slice(at, at + atOnce).map((id) => entryKey(repositoryId, number, id));
    const found = await table.getAll<TimelineEntry>(keys);
    yield keys.flatMap((key) => found.get(keyText(key)) ?? []);
  }
}
