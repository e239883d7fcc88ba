import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { below, exists } from "../table/condition.ts";
import { type Item, keyText, type TableKey, update, type Write } from "../table/write.ts";
import type { Table } from "../table.ts";
import {
  type CountName,
  countKeys,
  countsKey,
  numbersOf,
  type Repository,
  type RepositoryNumbers,
  repositoryKey,
  shardsOf,
} from "./repository.table.ts";

/** By how much counts of a repository change. */
export type CountChanges = Readonly<Partial<Record<CountName, number>>>;

const manyShards = 16;

/** The change of a repository's counts, for the transaction that causes it: on any one of its `shards` parts. */
export function repositoryCountsWrite(repositoryId: number, shards: number, changes: CountChanges): Write {
  const shard = Math.floor(Math.random() * shards);
  const part = countsKey(repositoryId, shard);
  return update(part, { add: { ...changes, changes: 1 }, setOnce: { _v: 1 } });
}

/** Splits in progress in this process, by repository: rivals wait for the same one. */
const splitsOf = lazyFor((_config: Config) => new Map<number, Promise<number>>());

/**
 * Splits the counts for good, after a conflict with rivals on them; answers the number of parts. Part 0, which
 * everybody reads, says it first: nobody writes another part before. Rivals come in crowds: one that finds the split
 * done writes nothing.
 */
export async function splitCounts(forge: Forge, repositoryId: number, shards: number): Promise<number> {
  if (shards >= manyShards) return shards;
  const splits = splitsOf(forge.config);
  const splitting =
    splits.get(repositoryId) ?? split(forge, repositoryId, shards).finally(() => splits.delete(repositoryId));
  splits.set(repositoryId, splitting);
  return splitting;
}

async function split({ table }: Forge, repositoryId: number, shards: number): Promise<number> {
  const [part, repository] = [countsKey(repositoryId, 0), repositoryKey(repositoryId)];
  const found = await table.getAll<Item & { readonly shards?: number }>([part, repository]);
  const isTold = (key: TableKey) => (found.get(keyText(key))?.shards ?? 1) >= manyShards;
  const set = { shards: manyShards };
  if (!isTold(part) && !(await table.write(update(part, { set }, exists)))) return shards;
  // An attribute with a writer of its own: `v` stays.
  if (!isTold(repository)) await table.write(update(repository, { set }, below(set)));
  return manyShards;
}

type Counts = RepositoryNumbers["counts"];

/** A repository's counts, all parts together. */
export async function readRepositoryCounts(
  stores: Pick<Forge, "table">,
  repository: Repository,
): Promise<Counts> {
  return (await readAllCounts(stores, [repository])).get(repository.id) as Counts;
}

/** The counts of some repositories, by id: one request for a hundred of them. */
export async function readAllCounts(
  { table }: Pick<Forge, "table">,
  repositories: readonly Repository[],
): Promise<ReadonlyMap<number, Counts>> {
  const keys = repositories.flatMap((repository) => countKeys(repository));
  const found = await withOtherCounts(table, repositories, await table.getAll(keys));
  return new Map(repositories.map((repository) => [repository.id, numbersOf(repository, found).counts]));
}

/**
 * The items found, with the parts of the counts that were not asked for: the first `known` were, by default as many as
 * the repository says. No request as long as nothing is split.
 */
export async function withOtherCounts(
  table: Table,
  repositories: readonly Repository[],
  found: ReadonlyMap<string, Item>,
  { known, isConsistent = true }: { readonly known?: number; readonly isConsistent?: boolean } = {},
): Promise<ReadonlyMap<string, Item>> {
  const others = repositories.flatMap((repository) =>
    countKeys({ id: repository.id, shards: shardsOf(repository, found) }, known ?? repository.shards),
  );
  return others.length === 0 ? found : new Map([...found, ...(await table.getAll(others, { isConsistent }))]);
}
