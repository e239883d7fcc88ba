import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Forge } from "../../forge.ts";
import { absent, type Condition, equals } from "../../table/condition.ts";
import type { Item, TableKey, Write } from "../../table/write.ts";

/** Something in the data that should not be. */
export interface Finding {
  /** The invariant that it breaks: its number in the list of `docs/data/invariants.md`. */
  readonly invariant: number;
  /** The item that is wrong or missing. */
  readonly key: string;
  readonly problem: string;
  /** The remedy: the effect of `repairFindings`, or the work left to people. */
  readonly remedy: string;
  /** Absent where nothing says what would be right. */
  readonly repair?: Repair;
}

/**
 * Mends what is derived from other items, on the condition that it and they are still as they were found: people may
 * write meanwhile. False when they are not; the next look tells what is left.
 */
export type Repair = (forge: Forge) => Promise<boolean>;

/**
 * A repair of one transaction: `derivedFrom` checks the items that say what is right, and each write the item that is
 * wrong. Throws TypeError for a write without a condition.
 */
export function mending(derivedFrom: readonly Write[], ...writes: readonly Write[]): Repair {
  const all = [...derivedFrom, ...writes];
  if (all.some(({ when }) => when === undefined)) throw new TypeError("a repair writes without a condition");
  return async ({ table }) => (await table.transact(all)).committed;
}

/** The item still is, attribute by attribute, what was read; or still is not there. */
export function asRead(item: Item | undefined): Condition {
  if (item === undefined) return absent;
  const { pk: _, sk: __, ...attributes } = item;
  return equals(attributes);
}

/** A key as findings show it. */
export const shownKey = ({ pk, sk }: TableKey): string => `${pk} / ${sk}`;

/** A thing without a name and without a scheduled look at it: nothing would ever remove it. */
export const forgotten = (
  invariant: number,
  key: string,
  later: (forge: Forge) => Promise<void>,
): Finding => ({
  invariant,
  key,
  problem: "is named by nothing, and no sweep is to look at it",
  remedy: "has it looked at once its grace period is over, and removed if nothing names it by then",
  repair: async (forge) => {
    await later(forge);
    return true;
  },
});

/** Tells findings of two looks apart. */
const identity = ({ invariant, key, problem }: Finding): string => `${invariant}\0${key}\0${problem}`;

/**
 * The findings of both looks. A working forge changes between the requests of one look: a finding of only one look was
 * never true.
 */
export async function foundTwice(look: () => Promise<Finding[]>): Promise<Finding[]> {
  const first = await look();
  if (first.length === 0) return [];
  const known = new Set(first.map(identity));
  return (await look()).filter((finding) => known.has(identity(finding)));
}

const pauseMs = 50;

/**
 * The result of two equal readings in a row, undefined when they differ: the items of a transaction don't show in one
 * instant, and a count over many items has no condition that would notice.
 */
export async function agreed<T>(read: () => Promise<T>): Promise<T | undefined> {
  const first = await read();
  await delay(pauseMs);
  const second = await read();
  return isDeepStrictEqual(first, second) ? second : undefined;
}
