import { type OwnedPlace, placePartition } from "../actions/place.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A value that jobs of Actions read (semantics §63.1). Times are whole seconds. */
export interface ActionVariable extends Item {
  /** In capitals; unique in its place. */
  readonly name: string;
  readonly value: string;
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

const prefix = "VAR#";
export const actionVariableKey = (place: OwnedPlace, name: string): TableKey => ({
  pk: placePartition(place),
  sk: `${prefix}${name}`,
});
/** All variables of a place, by name. */
export const actionVariablesOf = (place: OwnedPlace) => ({ pk: placePartition(place), prefix });
