import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { ActionsPlace } from "../actions/place.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { exists } from "../table/condition.ts";
import type { Item } from "../table/write.ts";
import { keyText, type TableKey, update } from "../table/write.ts";
import { runnerSecretHash } from "./registration-token.ts";
import { type Runner, type RunnerGuard, runnerGuardKey, runnerKey } from "./runner.table.ts";

/** What a runner shows with each call. */
export interface RunnerCredentials {
  readonly uuid: string;
  readonly token: string;
}

/** A runner that is calling, and what was read with it, by `keyText`. */
export interface CallingRunner {
  readonly runner: Runner;
  readonly found: ReadonlyMap<string, Item>;
}

type KnownPlace = Pick<RunnerGuard, "place" | "runnerId">;

/** Where runners lay, by their UUIDs: keys alone, so that one request can read all. */
const knownPlaces = new LRUCache<string, KnownPlace>({ max: 10_000 });

/**
 * The runner of these credentials, read in one request once the process knows where it lies; `along` says what to read
 * with it. Undefined for an unknown UUID and for a wrong token alike.
 */
export async function findCallingRunner(
  { table }: Pick<Forge, "table">,
  { uuid, token }: RunnerCredentials,
  along: (place: ActionsPlace) => readonly TableKey[] = () => [],
): Promise<CallingRunner | undefined> {
  const known = knownPlaces.get(uuid);
  // One that was removed may have been registered anew since, by its secret: elsewhere, and with another id.
  const read = (known && (await readRunner(table, known, along))) ?? (await findRunner(table, uuid, along));
  return read !== undefined && isTokenOf(read.runner, token) ? read : undefined;
}

/** The runner that the guard of a UUID leads to now. */
async function findRunner(
  table: Forge["table"],
  uuid: string,
  along: (place: ActionsPlace) => readonly TableKey[],
): Promise<CallingRunner | undefined> {
  knownPlaces.delete(uuid);
  const guard = await table.get<RunnerGuard>(runnerGuardKey(uuid));
  const read = guard && (await readRunner(table, guard, along));
  if (guard && read) knownPlaces.set(uuid, { place: guard.place, runnerId: guard.runnerId });
  return read;
}

async function readRunner(
  table: Forge["table"],
  { place, runnerId }: KnownPlace,
  along: (place: ActionsPlace) => readonly TableKey[],
): Promise<CallingRunner | undefined> {
  const key = runnerKey(place, runnerId);
  const found = await table.getAll([key, ...along(place)]);
  const runner = found.get(keyText(key)) as Runner | undefined;
  return runner && { runner, found };
}

const isTokenOf = ({ tokenHash }: Runner, token: string): boolean =>
  timingSafeEqual(Buffer.from(runnerSecretHash(token)), Buffer.from(tokenHash));

const seenEverySeconds = 30;
const activeEverySeconds = 8;

/** Whether it is time to note that a runner called. */
export const isSeenDue = ({ clock }: Pick<Forge, "clock">, { seenAt }: Pick<Runner, "seenAt">): boolean =>
  nowSeconds(clock) - seenAt >= seenEverySeconds;

/**
 * Notes that a runner called: at most every 30 s, or every 8 s when it told of a job, because it counts as active for
 * ten. It never brings a removed runner back.
 */
export async function noteRunnerSeen(
  { table, clock }: Pick<Forge, "table" | "clock">,
  { place, id, seenAt, activeAt }: Runner,
  isActive: boolean,
): Promise<void> {
  const now = nowSeconds(clock);
  const isActiveDue = isActive && now - activeAt >= activeEverySeconds;
  if (!isActiveDue && !isSeenDue({ clock }, { seenAt })) return;
  const set = { seenAt: now, ...(isActive ? { activeAt: now } : {}) };
  await table.write(update(runnerKey(place, id), { set }, exists));
}
