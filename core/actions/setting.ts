import { exists } from "../table/condition.ts";
import { type Item, remove, type TableKey } from "../table/write.ts";
import type { Table } from "../table.ts";
import { type OwnedPlace, placePartition } from "./place.ts";

/** What variables and secrets of a place have in common (semantics §63.1). Times are whole seconds. */
export interface ActionSetting extends Item {
  /** In capitals; unique in its place. */
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly _v: 1;
}

/** What a setting is made from. */
export interface GivenSetting {
  readonly name: string;
  readonly value: string;
  readonly description?: string | undefined;
}

/** The key of a setting of a name, in the partition of its place. */
export const settingKey =
  (prefix: string) =>
  (place: OwnedPlace, name: string): TableKey => ({ pk: placePartition(place), sk: `${prefix}${name}` });

/** All settings of a place, by name. */
export const settingsOf = (prefix: string) => (place: OwnedPlace) => ({ pk: placePartition(place), prefix });

/** Removes a setting, and says whether there was one. */
export async function removeSetting(table: Table, key: TableKey): Promise<boolean> {
  // A transaction of one: unlike a plain write it does not conflict with itself after a lost answer.
  return (await table.transact([remove(key, exists)])).committed;
}
