import { type ActionsPlace, placePartition } from "../actions/place.ts";
import { padded } from "../ids.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A program elsewhere that runs jobs of Actions (semantics §60). Times are whole seconds; 0 stands for "never". */
export interface Runner extends Item {
  readonly id: number;
  readonly uuid: string;
  /** A repository's runner counts as long as the repository has the owner of here: another has to let it on. */
  readonly place: ActionsPlace;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The jobs that it takes name only labels of these. */
  readonly labels: readonly string[];
  /** It takes one job, and is removed after that. */
  readonly isEphemeral: boolean;
  /** An ephemeral one has taken its job. */
  readonly hasTakenJob?: true;
  /** It is known, and takes no jobs. */
  readonly isDisabled: boolean;
  /** SHA-256 of its token in hex. */
  readonly tokenHash: string;
  /** When it last called, and when it last told of a job: at most half a minute late, without a new `v`. */
  readonly seenAt: number;
  readonly activeAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** Leads from the UUID that a runner names itself by to its item. */
export interface RunnerGuard extends Item {
  readonly place: ActionsPlace;
  readonly runnerId: number;
  readonly _v: 1;
}

export const runnerPrefix = "RUNNER#";
export const runnerKey = (place: ActionsPlace, id: number): TableKey => ({
  pk: placePartition(place),
  sk: `${runnerPrefix}${padded(id)}`,
});
/** All runners of a place, in the order of their ids. */
export const runnersOf = (place: ActionsPlace) => ({ pk: placePartition(place), prefix: runnerPrefix });
export const runnerGuardKey = (uuid: string): TableKey => ({ pk: `RUNNER#${uuid}`, sk: "#" });

/** The token that registers runners of a place; the same until it is deactivated (B-17). */
export interface RegistrationToken extends Item {
  readonly place: ActionsPlace;
  /** Sealed; opened by `registrationToken`. */
  readonly sealed: string;
  /** SHA-256 of its text in hex: its guard lies there. */
  readonly hash: string;
  readonly createdAt: number;
  readonly _v: 1;
}

/** Leads from a registration token to its place. */
export interface RegistrationTokenGuard extends Item {
  readonly place: ActionsPlace;
  readonly _v: 1;
}

export const registrationTokenSort = "RUNNERTOKEN";
export const registrationTokenKey = (place: ActionsPlace): TableKey => ({
  pk: placePartition(place),
  sk: registrationTokenSort,
});
export const registrationTokenGuardKey = (hash: string): TableKey => ({
  pk: `RUNNERTOKEN#${hash}`,
  sk: "#",
});
