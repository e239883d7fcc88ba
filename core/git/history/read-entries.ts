import type { ObjectId } from "../format/object-format.ts";
import { entriesOf, type TreeEntry } from "../format/tree.ts";
import type { HistoryReader } from "./history.ts";

/**
 * The entries of a tree, or the wanted ones, however many there are; others run in between. Throws when the object is
 * no tree, or cut short.
 */
export async function readEntries(
  history: Pick<HistoryReader, "format" | "pace" | "tree">,
  tree: ObjectId,
  isWanted: (entry: TreeEntry) => boolean = () => true,
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const entry of entriesOf(history.format, await history.tree(tree))) {
    if (isWanted(entry)) entries.push(entry);
    const pause = history.pace();
    if (pause !== undefined) await pause;
  }
  return entries;
}
