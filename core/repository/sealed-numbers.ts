import { LRUCache } from "lru-cache";
import { activityWrite } from "../directory/repositories.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { all, any, below, equals, exists, type Item, keyText, type Table, update } from "../table.ts";
import {
  cardKey,
  countsKey,
  type Repository,
  type RepositoryNumbers,
  repositoryActivity,
  repositoryKey,
  type Sealed,
  shardsOf,
} from "./repository.table.ts";

/** A repository's numbers as of one version of its activity in the directory. */
interface KeptNumbers {
  readonly activity: number;
  readonly numbers: RepositoryNumbers;
}

/** Repositories of which a process keeps numbers, some 300 bytes each. */
const mostKept = 20_000;
const keptBy = lazyFor((_table: Table) => new LRUCache<number, KeptNumbers>({ max: mostKept }));

/** The two items that hold the numbers which lists show of a repository. */
const sealedKeys = ({ id, ownerId }: Pick<Repository, "id" | "ownerId">) =>
  [countsKey(id, 0), cardKey(ownerId, id)] as const;

/**
 * The numbers that this process keeps of some repositories, given the version of each one's activity in the directory.
 * Repositories are missing of which it keeps none, or those of another version.
 */
export function findAllNumbers(
  table: Table,
  activities: ReadonlyMap<number, number | undefined>,
): ReadonlyMap<number, RepositoryNumbers> {
  const kept = keptBy(table);
  const found = new Map<number, RepositoryNumbers>();
  for (const [id, activity] of activities) {
    const one = activity === undefined ? undefined : kept.get(id);
    if (one !== undefined && one.activity === activity) found.set(id, one.numbers);
  }
  return found;
}

/**
 * Keeps numbers if both of their items are sealed under `activity`, and answers whether they are: they can't change then
 * as long as the directory has that version. The items must have been read strongly, and after `activity` was read in
 * the directory. Not for split counts.
 */
export function keepNumbers(
  table: Table,
  repository: Repository,
  found: ReadonlyMap<string, Item>,
  { activity, numbers }: KeptNumbers,
): boolean {
  const items = sealedKeys(repository).map((key) => found.get(keyText(key)) as Sealed | undefined);
  if (!items.every((item) => item?.sealed === activity)) return false;
  keptBy(table).set(repository.id, { activity, numbers });
  return true;
}

/**
 * Seals the numbers of a repository: from then on counts and card change only after its activity in the directory has
 * got a later version than the seal's, so that lists need not read them (decision 24). False when the repository is gone,
 * its counts are split, or a rival sealed or unsealed them.
 */
export async function sealNumbers({ table, clock }: Forge, id: number): Promise<boolean> {
  const repository = await table.get<Repository>(repositoryKey(id));
  if (repository?.state !== "live" || repository.shards > 1) return false;
  const seal = clock.now();
  const [countsAt, cardAt] = sealedKeys(repository);
  const isOlder = (name: string) => any(equals({ [name]: undefined }), below({ [name]: seal }));
  const mayBeSealed = all(exists, isOlder("sealed"), isOlder("unsealed"));
  // `changes` and `v` are the conditions of whoever copies an item or counts anew.
  const isSealed =
    (await table.write(update(countsAt, { set: { sealed: seal }, add: { changes: 1 } }, mayBeSealed))) &&
    (await table.write(update(cardAt, { set: { sealed: seal }, add: { v: 1 } }, mayBeSealed)));
  if (!isSealed) return false;
  const found = await table.getAll([countsAt, cardAt]);
  if (!found.has(keyText(cardAt)) || shardsOf(repository, found) > 1) return false;
  return table.write(activityWrite(id, repositoryActivity(repository, found), seal));
}

/**
 * Breaks the seals of a repository's numbers, so that a write which failed because of them can be tried again. Before
 * that the activity in the directory gets a later version, so that nobody takes the former numbers from memory any more.
 * False when there was no seal.
 */
export async function unsealNumbers({ table }: Pick<Forge, "table">, id: number): Promise<boolean> {
  const repository = await table.get<Repository>(repositoryKey(id));
  if (repository === undefined) return false;
  const found = await table.getAll<Sealed>(sealedKeys(repository));
  const seals = [...found.values()].flatMap(({ sealed }) => sealed ?? []);
  if (seals.length === 0) return false;
  // One above the seal: what the worker writes after the change is newer still. Nothing is written over a later version.
  const version = Math.max(...seals) + 1;
  await table.write(activityWrite(id, repositoryActivity(repository, found), version));
  for (const key of sealedKeys(repository)) {
    const sealed = found.get(keyText(key))?.sealed;
    if (sealed === undefined) continue;
    await table.write(update(key, { set: { unsealed: sealed }, unset: ["sealed"] }, equals({ sealed })));
  }
  return true;
}
