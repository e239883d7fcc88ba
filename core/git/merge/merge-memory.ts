import { unavailable } from "../../errors.ts";
import type { History } from "../history/history.ts";

/** Bytes of the texts that one merge makes, which it holds until they are packed, and of those it is at. */
const mostTexts = 96 * 2 ** 20;
/** A text that is merged is there as it was read and again on a thread, and its result beside them. */
const textFactor = 3;

/** The memory that one merge takes, at most. */
export const mostMergeMemory = textFactor * mostTexts;

/**
 * Counts the memory for merging one more file, whose versions have so many bytes together. Unavailable when the merge
 * makes too many texts; RateLimited or Unavailable when there is no room in time.
 */
export async function reserveForFile(history: History, bytes: number): Promise<void> {
  if (history.addedBytes + bytes > mostTexts)
    throw unavailable("merging so much text takes too much memory here: merge with git and push");
  await history.reserveInAll(history.addedBytes + textFactor * bytes);
}
