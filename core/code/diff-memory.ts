import type { FileChange, FileSide } from "../git/diff/file-change.ts";
import { defaultLargestFile } from "../git/diff/file-content.ts";
import { gitlinkMode } from "../git/format/tree.ts";
import type { History } from "../git/history/history.ts";

/** Contents that are fetched together, at most; a larger one comes alone. */
const mostFetched = 8 * 2 ** 20;
/** A content is there as it is stored and as it is, and again while a thread works on it. */
const contentFactor = 2;
/** The fingerprint of a file, at most. */
const largestFingerprint = 900_000;
/** What a changed file takes beside its content, and how much longer its content is in a patch. */
const [changeBytes, patchFactor] = [1_000, 1.5];

/** The memory that comparing the contents of changed files takes, at most. */
export function comparingBytes(
  history: History,
  changes: readonly FileChange[],
  largestFile = defaultLargestFile,
): number {
  let [all, largest] = [0, 0];
  for (const { old, new: fresh } of changes) {
    const sizes = [sizeOf(history, old), sizeOf(history, fresh)].filter((size) => size <= largestFile);
    const pair = sizes.reduce((sum, size) => sum + size, 0);
    all += pair;
    largest = Math.max(largest, pair);
  }
  return contentFactor * Math.min(all, mostFetched + largest);
}

/** The same of looking for renames among them. */
export function renamingBytes(history: History, changes: readonly FileChange[]): number {
  const hasOneSide = ({ old, new: fresh }: FileChange) => old === undefined || fresh === undefined;
  const isNeeded = changes.some((one) => one.old === undefined) && changes.some((one) => !one.new);
  if (!isNeeded) return 0;
  return changes
    .filter(hasOneSide)
    .map(({ old, new: fresh }) => sizeOf(history, old ?? fresh))
    .reduce((sum, size) => sum + Math.min(2 * size, largestFingerprint), 0);
}

/** How long the patch of some changes is, at most. */
export function longestPatch(history: History, changes: readonly FileChange[]): number {
  return changes
    .map(({ old, new: fresh }) => sizeOf(history, old) + sizeOf(history, fresh))
    .reduce((sum, size) => sum + changeBytes + patchFactor * size, 0);
}

const sizeOf = (history: History, side: FileSide | undefined): number =>
  side === undefined || side.mode === gitlinkMode ? 0 : history.sizeOf(side.id);
