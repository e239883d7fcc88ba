import { gitPartition } from "./refs/refs.table.ts";
import { findLenders, namedPacks, returnPacks } from "./shared-packs.ts";
import { readRoot, type Stores } from "./store.ts";

/** The state of an emptying; `undefined` before its first step. */
export type RemovalCursor = "items" | "objects";

/** The result of one step: the next step's cursor, absent when nothing was left, and whether it found anything. */
export interface RemovalStep {
  readonly next?: RemovalCursor;
  readonly hasFound: boolean;
}

type RemovalStores = Pick<Stores, "table" | "blobs">;

const itemsPerStep = 100;
const objectsPerStep = 1_000;

/**
 * One repeatable step of emptying a repository whose ROOT says that it is deleted. It returns packs of others, then
 * removes its items page by page, then the objects under its prefix except packs that forks still name. A job repeats
 * the whole until a pass that began after the longest request finds nothing.
 */
export async function removeRepositoryGit(
  stores: RemovalStores,
  repositoryId: number,
  cursor: RemovalCursor | undefined,
): Promise<RemovalStep> {
  if (cursor === "objects") {
    const removed = await removeUnnamedObjects(stores, repositoryId);
    const hasFound = removed > 0;
    return removed === objectsPerStep ? { next: "objects", hasFound } : { hasFound };
  }
  if (cursor === undefined) {
    for (const lenderId of await findLenders(stores.table, repositoryId)) {
      await returnPacks(stores.table, repositoryId, lenderId);
      await removeAbandoned(stores, lenderId);
    }
  }
  const page = await stores.table.query({ pk: gitPartition(repositoryId), limit: itemsPerStep });
  await stores.table.removeAll(page.items);
  return { next: page.next === undefined ? "objects" : "items", hasFound: page.items.length > 0 };
}

/** The last repository that named packs of a deleted one removes them; packs of a live one are swept with its own. */
async function removeAbandoned(stores: RemovalStores, lenderId: number): Promise<void> {
  const root = await readRoot(stores, lenderId);
  if (root?.state === "live") return;
  while ((await removeUnnamedObjects(stores, lenderId)) === objectsPerStep);
}

async function removeUnnamedObjects({ table, blobs }: RemovalStores, repositoryId: number): Promise<number> {
  const prefix = `r/${repositoryId}/`;
  const packs = `${prefix}p/`;
  let named: ReadonlySet<string> | undefined;
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) {
    named ??= await namedPacks(table, repositoryId);
    const isNamed = key.startsWith(packs) && named.has(key.slice(packs.length).replace(/\.\w+$/, ""));
    if (!isNamed) keys.push(key);
    if (keys.length === objectsPerStep) break;
  }
  if (keys.length > 0) await blobs.remove(keys);
  return keys.length;
}
