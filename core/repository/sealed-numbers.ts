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

/** Of how many repositories a process keeps numbers: some 300 bytes each. */
const mostKept = 20_000;
const keptBy = lazyFor((_table: Table) => new LRUCache<number, KeptNumbers>({ max: mostKept }));

/** The items that hold what lists show of a repository beside itself. */
const sealedKeys = ({ id, ownerId }: Pick<Repository, "id" | "ownerId">) =>
  [countsKey(id, 0), cardKey(ownerId, id)] as const;

/** The numbers of repositories as this process read them sealed, of those whose activity still has that version. */
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
 * Keeps numbers that were read strongly, after the directory was, where both of their items are sealed under the version
 * that it told: then they are these as long as it tells that version. Answers whether they are. Not for split counts.
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
 * Seals the numbers of a repository: from now on counts and card change only after the directory tells a later version
 * of the activity than that of the seal, so that lists need not read them (decision 24). False where others were at it;
 * what was split is too busy.
 */
export async function sealNumbers({ table, clock }: Forge, id: number): Promise<boolean> {
  const repository = await table.get<Repository>(repositoryKey(id));
  if (repository?.state !== "live" || repository.shards > 1) return false;
  const seal = clock.now();
  const [countsAt, cardAt] = sealedKeys(repository);
  const isOlder = (name: string) => any(equals({ [name]: undefined }), below({ [name]: seal }));
  const mayBeSealed = all(exists, isOlder("sealed"), isOlder("unsealed"));
  // Who copies an item, or counts anew, goes by these.
  const isSealed =
    (await table.write(update(countsAt, { set: { sealed: seal }, add: { changes: 1 } }, mayBeSealed))) &&
    (await table.write(update(cardAt, { set: { sealed: seal }, add: { v: 1 } }, mayBeSealed)));
  if (!isSealed) return false;
  const found = await table.getAll([countsAt, cardAt]);
  if (!found.has(keyText(cardAt)) || shardsOf(repository, found) > 1) return false;
  return table.write(activityWrite(id, repositoryActivity(repository, found), seal));
}

/**
 * Lets the numbers of a repository change, for who found them sealed: first the directory tells a later version, so that
 * nobody takes the former ones from memory, then the seals are broken. False where there are none.
 */
export async function unsealNumbers({ table }: Pick<Forge, "table">, id: number): Promise<boolean> {
  const repository = await table.get<Repository>(repositoryKey(id));
  if (repository === undefined) return false;
  const found = await table.getAll<Sealed>(sealedKeys(repository));
  const seals = [...found.values()].flatMap(({ sealed }) => sealed ?? []);
  if (seals.length === 0) return false;
  // The next after the seal: what the worker tells after the change is newer. Where it is not written, a later one stands there.
  const version = Math.max(...seals) + 1;
  await table.write(activityWrite(id, repositoryActivity(repository, found), version));
  for (const key of sealedKeys(repository)) {
    const sealed = found.get(keyText(key))?.sealed;
    if (sealed === undefined) continue;
    await table.write(update(key, { set: { unsealed: sealed }, unset: ["sealed"] }, equals({ sealed })));
  }
  return true;
}
