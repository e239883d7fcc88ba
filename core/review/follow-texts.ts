import type { TimelineEntry } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import { followText } from "../issue/settle-references.ts";
import { type Writing, writtenTextOf } from "../issue/written-text.ts";
import { combined } from "./change.ts";

/** Of one review so many texts that name issues or users have an effect. */
const mostFollowed = 20;

/** The work after the texts of reviews and their comments were published, or removed. */
export function followTexts(
  forge: Forge,
  entries: readonly TimelineEntry[],
  kind: "published" | "removed",
  writing: Writing,
): ReturnType<typeof combined> {
  const works = entries.flatMap((entry) => {
    const { repositoryId, issueNumber: number, id: commentId } = entry;
    const text = writtenTextOf(entry);
    const texts = kind === "published" ? { before: "", after: text } : { before: text, after: "" };
    return followText(forge, { repositoryId, number, commentId }, texts, writing) ?? [];
  });
  return combined(works.slice(0, mostFollowed));
}
