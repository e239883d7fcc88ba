import type { Forge } from "../forge.ts";
import { type CountName, countsKey, type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals, update, type Write } from "../table.ts";

/** By how much counts of a repository change. */
export type CountChanges = Readonly<Partial<Record<CountName, number>>>;

const manyConflicts = 3;
const manyShards = 16;

/** The change of a repository's counts, for the transaction that causes it: on any one of their parts. */
export function countsWrite({ id, shards }: Repository, changes: CountChanges): Write {
  const shard = Math.floor(Math.random() * shards);
  return update(countsKey(id, shard), { add: changes, setOnce: { _v: 1 } });
}

/** Splits the counts for good when a transaction that changed them met three conflicts (data model §10). */
export async function splitIfContended(
  forge: Forge,
  repository: Repository,
  conflicts: number,
): Promise<void> {
  if (conflicts < manyConflicts || repository.shards >= manyShards) return;
  const { id, shards } = repository;
  // An attribute of its own writer: `v` stays.
  await forge.table.write(update(repositoryKey(id), { set: { shards: manyShards } }, equals({ shards })));
}
