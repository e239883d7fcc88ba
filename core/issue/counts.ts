import type { Forge } from "../forge.ts";
import {
  type CountName,
  countKeys,
  countsKey,
  type Repository,
  type RepositoryCounts,
  repositoryKey,
} from "../repository/repository.table.ts";
import { below, update, type Write } from "../table.ts";

/** By how much counts of a repository change. */
export type CountChanges = Readonly<Partial<Record<CountName, number>>>;

const manyShards = 16;

/** The change of a repository's counts, for the transaction that causes it: on any one of its `shards` parts. */
export function countsWrite(repositoryId: number, shards: number, changes: CountChanges): Write {
  const shard = Math.floor(Math.random() * shards);
  return update(countsKey(repositoryId, shard), { add: changes, setOnce: { _v: 1 } });
}

/** Splits the counts for good, for who met rivals on them (data model §10); answers how many parts there are now. */
export async function splitCounts(forge: Forge, repositoryId: number, shards: number): Promise<number> {
  if (shards >= manyShards) return shards;
  // An attribute with a writer of its own: `v` stays.
  await forge.table.write(
    update(repositoryKey(repositoryId), { set: { shards: manyShards } }, below({ shards: manyShards })),
  );
  return manyShards;
}

/** How many issues and pulls of a state and kind there are, all when absent, from the repository's counts. */
export async function countMatching(
  { table }: Forge,
  repository: Pick<Repository, "id" | "shards">,
  { state, type }: { readonly state?: "open" | "closed"; readonly type?: "issue" | "pull" },
): Promise<number> {
  const names = (["open", "closed"] as const)
    .filter((one) => state === undefined || one === state)
    .flatMap((one): CountName[] => [
      ...(type === "pull" ? [] : [`${one}Issues` as const]),
      ...(type === "issue" ? [] : [`${one}Pulls` as const]),
    ]);
  const parts = [...(await table.getAll<RepositoryCounts>(countKeys(repository))).values()];
  return parts.reduce((sum, part) => sum + names.reduce((own, name) => own + (part[name] ?? 0), 0), 0);
}
