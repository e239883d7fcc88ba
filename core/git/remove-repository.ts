import { gitPartition } from "./refs/refs.table.ts";
import type { Doors } from "./store.ts";

/** Where an emptying stands; `undefined` before its first step. */
export type RemovalCursor = "items" | "objects";

const itemsPerStep = 100;
const objectsPerStep = 1_000;

/**
 * One repeatable step of emptying a repository that `markDeleting` has hidden: its items page by page, then the
 * objects under its prefix. Answers the next step's cursor, undefined when nothing was left. A job repeats the whole
 * until a pass that began after the longest request finds nothing.
 */
export async function removeRepositoryGit(
  doors: Pick<Doors, "table" | "blobs">,
  repositoryId: number,
  cursor: RemovalCursor | undefined,
): Promise<RemovalCursor | undefined> {
  if (cursor !== "objects") {
    const page = await doors.table.query({ pk: gitPartition(repositoryId), limit: itemsPerStep });
    await doors.table.removeAll(page.items);
    return page.next === undefined ? "objects" : "items";
  }
  const keys: string[] = [];
  for await (const { key } of doors.blobs.list(`r/${repositoryId}/`)) {
    keys.push(key);
    if (keys.length === objectsPerStep) break;
  }
  if (keys.length > 0) await doors.blobs.remove(keys);
  return keys.length === objectsPerStep ? "objects" : undefined;
}
