import type { Forge } from "../forge.ts";
import { agreed, type Repair } from "../lifecycle/check/finding.ts";
import { type Package, packagePrefix, packagesPartition } from "../package/package.table.ts";
import { cardPrefix, ownerPartition, type RepositoryCard } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { keyText, type TableKey, update } from "../table/write.ts";
import { usageOfCard } from "./card-usage.ts";
import { type OwnerUsage, usageKey, usagePrefix } from "./quota.table.ts";
import { noUsage, type Usage, type UsageName, usageNames } from "./subject.ts";

/** One part of an owner's totals: what it says, and what there is. */
export interface PartOfTotals {
  readonly key: TableKey;
  readonly part: OwnerUsage | undefined;
  readonly held: Usage;
}

/** The names under which a part says something else than there is. */
export const wrongIn = ({ part, held }: PartOfTotals): UsageName[] =>
  usageNames.filter((name) => (part?.[name] ?? 0) !== held[name]);

/** Each part of an owner's totals beside what counts in it: cards, and packages of no repository. */
export function partsBeside(
  ownerId: number,
  parts: readonly OwnerUsage[],
  cards: readonly RepositoryCard[],
  packages: readonly Package[],
): PartOfTotals[] {
  const stored = new Map(parts.map((part) => [keyText(part), part]));
  const held = new Map(parts.map((part) => [keyText(part), { key: keyOf(part), sum: noUsage }]));
  const add = (holderId: number, usage: Usage) => {
    const key = usageKey(ownerId, holderId);
    const sum = held.get(keyText(key))?.sum ?? noUsage;
    held.set(keyText(key), { key, sum: sumOfUsage(sum, usage) });
  };
  for (const card of cards) add(card.repositoryId, usageOfCard(card));
  for (const { id, bytes, repositoryId } of packages) {
    if (repositoryId === undefined) add(id, { ...noUsage, packages: bytes });
  }
  return [...held].map(([text, { key, sum }]) => ({ key, part: stored.get(text), held: sum }));
}

const keyOf = ({ pk, sk }: TableKey): TableKey => ({ pk, sk });

const sumOfUsage = (one: Usage, other: Usage): Usage =>
  Object.fromEntries(usageNames.map((name) => [name, one[name] + other[name]])) as Usage;

/**
 * Makes an owner's totals what their repositories hold; true when anything was wrong. Each change of a part moves its
 * `changes`, so that none can come between the counting and the write unseen: such a part is left as it is.
 */
export async function recountUsage(forge: Forge, ownerId: number): Promise<boolean> {
  const isWrong = (one: PartOfTotals) => wrongIn(one).length > 0;
  if (!(await readParts(forge, ownerId)).some(isWrong)) return false;
  const parts = (await agreed(() => readParts(forge, ownerId))) ?? [];
  for (const one of parts.filter(isWrong)) {
    const { key, part, held } = one;
    const set = Object.fromEntries(wrongIn(one).map((name) => [name, held[name]]));
    const isAsRead = part === undefined ? absent : equals({ changes: part.changes });
    await forge.table.write(update(key, { set, add: { changes: 1 }, setOnce: { _v: 1 } }, isAsRead));
  }
  return true;
}

/** A repair of a card of an owner's, and then of their totals, which count what cards say. */
export const withTotals =
  (ownerId: number, repair: Repair): Repair =>
  async (forge) => {
    if (!(await repair(forge))) return false;
    await recountUsage(forge, ownerId);
    return true;
  };

/** Totals first: what changes after they were read has moved them. */
async function readParts({ table }: Forge, ownerId: number): Promise<PartOfTotals[]> {
  const pk = ownerPartition(ownerId);
  const parts = await table.queryAll<OwnerUsage>({ pk, prefix: usagePrefix });
  const cards = await table.queryAll<RepositoryCard>({ pk, prefix: cardPrefix });
  const packages = await table.queryAll<Package>({ pk: packagesPartition(ownerId), prefix: packagePrefix });
  return partsBeside(ownerId, parts, cards, packages);
}
