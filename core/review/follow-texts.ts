import type { TimelineEntry } from "../comment/comment.table.ts";
import { manySteps, Pacer } from "../concurrency/pacer.ts";
import type { Forge } from "../forge.ts";
import type { FollowUp } from "../issue/change/change.ts";
import { followText } from "../issue/references/settle-references.ts";
import { type Writing, writtenTextOf } from "../issue/references/written-text.ts";
import { combined } from "./change.ts";

/** Of one review so many texts that name issues or users have an effect. */
const mostFollowed = 20;

/**
 * The work after the texts of reviews and their comments were published, or removed. Others run while they are read, and
 * no more of them are read than have an effect.
 */
export async function followTexts(
  forge: Forge,
  entries: AsyncIterable<TimelineEntry> | Iterable<TimelineEntry>,
  kind: "published" | "removed",
  writing: Writing,
): Promise<ReturnType<typeof combined>> {
  const pacer = new Pacer(forge.awaited);
  const works: FollowUp[] = [];
  for await (const entry of entries) {
    const { repositoryId, issueNumber: number, id: commentId } = entry;
    const text = writtenTextOf(entry);
    const texts = kind === "published" ? { before: "", after: text } : { before: text, after: "" };
    const work = followText(forge, { repositoryId, number, commentId }, texts, writing);
    if (work !== undefined) works.push(work);
    if (works.length === mostFollowed) break;
    if (pacer.isDue(manySteps)) await pacer.pause();
  }
  return combined(works);
}
