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

/** Where runners lie, by their UUIDs: keys alone, so that one request can read all. They never change. */
const knownPlaces = new LRUCache<string, { readonly place: ActionsPlace; readonly runnerId: number }>({
  max: 10_000,
});

/**
 * The runner of these credentials, read in one request once the process knows where it lies; `along` says what to read
 * with it. Undefined for an unknown UUID and for a wrong token alike.
 */
export async function findCallingRunner(
  { table }: Pick<Forge, "table">,
  { uuid, token }: RunnerCredentials,
  along: (place: ActionsPlace) => readonly TableKey[] = () => [],
): Promise<CallingRunner | undefined> {
  const known = knownPlaces.get(uuid) ?? (await table.get<RunnerGuard>(runnerGuardKey(uuid)));
  if (known === undefined) return undefined;
  const { place, runnerId } = known;
  const key = runnerKey(place, runnerId);
  const found = await table.getAll([key, ...along(place)]);
  const runner = found.get(keyText(key)) as Runner | undefined;
  if (runner === undefined || !isTokenOf(runner, token)) return undefined;
  knownPlaces.set(uuid, { place, runnerId });
  return { runner, found };
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
