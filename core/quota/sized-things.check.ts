import type { Forge } from "../forge.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import { absent, type Condition, exists } from "../table/condition.ts";
import { check, keyText, put, remove, type TableKey } from "../table/write.ts";
import { type SizedList, type SizedThing, sizedThingKey, sizedThingsOf } from "./quota.table.ts";

/** A thing that its list has to show, and the item that says so. */
export interface CountedThing {
  readonly id: number;
  readonly sizeBytes: number;
  readonly item: TableKey;
  /** That the item still makes it count; by default that it is there. */
  readonly isThere?: Condition;
}

const keyOf = ({ pk, sk }: TableKey): TableKey => ({ pk, sk });

/** Invariant 43: the list by size of a repository has these things, and no others. */
export async function sizedThingFindings(
  { table }: Forge,
  repositoryId: number,
  list: SizedList,
  things: readonly CountedThing[],
): Promise<Finding[]> {
  const rows = await table.queryAll<SizedThing>(sizedThingsOf(repositoryId, list));
  const listed = new Set(rows.map(keyText));
  const wanted = new Map(things.map((thing) => [keyText(sizedThingKey(repositoryId, list, thing)), thing]));
  const missing = [...wanted.values()]
    .map((thing) => ({
      thing,
      row: { ...sizedThingKey(repositoryId, list, thing), id: thing.id, sizeBytes: thing.sizeBytes, _v: 1 },
    }))
    .filter(({ row }) => !listed.has(keyText(row)))
    .map(({ thing, row }) => ({
      invariant: 43,
      key: shownKey(row),
      problem: `is missing; ${shownKey(thing.item)} is counted`,
      remedy: "writes it",
      repair: mending([check(keyOf(thing.item), thing.isThere ?? exists)], put(row, absent)),
    }));
  const astray = rows
    .filter((row) => !wanted.has(keyText(row)))
    .map((row) => ({
      invariant: 43,
      key: shownKey(row),
      problem: "lists what is not there, or has another size",
      remedy: "removes it",
      repair: mending([], remove(row, asRead(row))),
    }));
  return [...missing, ...astray];
}
