import { type OwnedPlace, placePartition } from "../actions/place.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A value that jobs of Actions get and nobody can read (semantics §63.1). Times are whole seconds. */
export interface ActionSecret extends Item {
  /** In capitals; unique in its place. */
  readonly name: string;
  /** Opened by `actionSecretsFor` alone. */
  readonly sealed: string;
  /** Of the value. */
  readonly sizeBytes: number;
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly _v: 1;
}

const prefix = "SECRET#";
export const actionSecretKey = (place: OwnedPlace, name: string): TableKey => ({
  pk: placePartition(place),
  sk: `${prefix}${name}`,
});
/** All secrets of a place, by name. */
export const actionSecretsOf = (place: OwnedPlace) => ({ pk: placePartition(place), prefix });
