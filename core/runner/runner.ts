import { randomBytes, randomUUID } from "node:crypto";
import type { ActionsPlace } from "../actions/place.ts";
import { placeStays, requirePlaceStaying } from "../actions/place-stays.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, put, remove, update, type Write } from "../table/write.ts";
import { runnerLook } from "./look-at-runner.ts";
import { placeOfRegistrationToken, runnerSecretHash } from "./registration-token.ts";
import {
  type Runner,
  type RunnerGuard,
  registrationTokenGuardKey,
  runnerGuardKey,
  runnerKey,
  runnersOf,
} from "./runner.table.ts";

/** What is told of a runner when it registers. */
export interface NewRunner {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  readonly labels?: readonly string[];
  readonly isEphemeral?: boolean;
}

/** A new runner with its token, which is shown only this once. */
export interface RegisteredRunner {
  readonly runner: Runner;
  readonly token: string;
}

const mostPerPlace = 1_000;
const mostAttempts = 5;
const most = { nameBytes: 255, description: 255, version: 255, labels: 50, label: 255 };

/** Registers a runner of a place. 422 when the place has 1,000, or when what is told of it is too much. */
export const registerRunner = (
  forge: Forge,
  place: ActionsPlace,
  given: NewRunner,
): Promise<RegisteredRunner> => register(forge, place, given, []);

/** The same with a registration token; undefined when that counts no more. */
export async function registerRunnerByToken(
  forge: Forge,
  registrationToken: string,
  given: NewRunner,
): Promise<RegisteredRunner | undefined> {
  const place = await placeOfRegistrationToken(forge, registrationToken);
  if (place === undefined) return undefined;
  const guard = registrationTokenGuardKey(runnerSecretHash(registrationToken));
  return register(forge, place, given, [check(guard, exists)]);
}

/** Who a runner says that it is. */
export interface RunnerIdentity {
  readonly uuid: string;
  readonly token: string;
}

/** The same with an identity that was agreed upon before. Conflict when there is a runner of this UUID. */
export const registerRunnerAs = (
  forge: Forge,
  place: ActionsPlace,
  given: NewRunner,
  identity: RunnerIdentity,
): Promise<RegisteredRunner> => register(forge, place, given, [], identity);

async function register(
  forge: Forge,
  place: ActionsPlace,
  given: NewRunner,
  conditions: readonly Write[],
  { uuid, token }: RunnerIdentity = { uuid: randomUUID(), token: randomBytes(20).toString("hex") },
): Promise<RegisteredRunner> {
  const { description = "", isEphemeral = false } = given;
  if (given.name.trim() === "") throw invalid("Name", "Required");
  if (description.length > most.description) throw invalid("Description", `MaxSize ${most.description}`);
  const declared = checkedDeclaration(given);
  const existing = await forge.table.queryAll({ ...runnersOf(place), limit: mostPerPlace });
  if (existing.length >= mostPerPlace) throw invalid("Runners", `at most ${mostPerPlace} may exist here`);
  const id = await nextId(forge.table, "runner");
  const now = nowSeconds(forge.clock);
  const runner: Runner = {
    ...runnerKey(place, id),
    ...{ id, uuid, place, name: runnerName(given.name), description },
    ...declared,
    ...{ isEphemeral, isDisabled: false, tokenHash: runnerSecretHash(token) },
    ...{ seenAt: 0, activeAt: 0, createdAt: now, updatedAt: now, v: 1, _v: 1 },
  };
  const guard: RunnerGuard = { ...runnerGuardKey(runner.uuid), place, runnerId: id, _v: 1 };
  const looks = isEphemeral ? [runnerLook(forge, runner)] : [];
  const writes = [put(runner, absent), put(guard, absent), ...looks, ...placeStays(place), ...conditions];
  const { committed } = await forge.table.transact(writes);
  if (committed) return { runner, token };
  await requirePlaceStaying(forge, place);
  throw conflict("the registration token was deactivated, or the runner's place changed; try again");
}

/** Version and labels as they are kept. 422 for too many labels, or too long ones. */
export function checkedDeclaration({
  version = "",
  labels = [],
}: Pick<NewRunner, "version" | "labels">): Pick<Runner, "version" | "labels"> {
  const named = [...new Set(labels.filter((label) => label !== ""))];
  if (named.length > most.labels) throw invalid("Labels", `at most ${most.labels}`);
  if (named.some((label) => label.length > most.label)) throw invalid("Labels", `MaxSize ${most.label} each`);
  return { version: version.slice(0, most.version), labels: named };
}

/** The name of a runner as it is kept. */
export const runnerName = (name: string): string => cut(name, most.nameBytes);

/** The beginning of a text that has at most so many bytes of UTF-8. */
function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  let end = bytes;
  while (((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return whole.subarray(0, end).toString("utf8");
}

/** The runners of places, of one after the other, by id. */
export async function listRunners({ table }: Forge, places: readonly ActionsPlace[]): Promise<Runner[]> {
  return (await Promise.all(places.map((place) => table.queryAll<Runner>(runnersOf(place))))).flat();
}

/** The runner of a place by its id; NotFound when the place has none such. */
export async function getRunner({ table }: Forge, place: ActionsPlace, id: number): Promise<Runner> {
  const runner = await table.get<Runner>(runnerKey(place, id));
  if (runner === undefined) throw notFound(`runner does not exist [id: ${id}]`);
  return runner;
}

/**
 * Whether a runner takes no jobs: it was disabled, or it is a repository's from the time of another owner. `ownerId` is
 * the repository's owner now.
 */
export const isRunnerOff = ({ isDisabled, place }: Runner, ownerId: number | undefined): boolean =>
  isDisabled || (place.kind === "repository" && place.ownerId !== ownerId);

/** Lets a runner take jobs or not. One that a former owner of the repository registered counts again then. */
export async function setRunnerDisabled(
  forge: Forge,
  place: ActionsPlace,
  id: number,
  isDisabled: boolean,
): Promise<Runner> {
  for await (const _attempt of attempts(mostAttempts)) {
    const runner = await getRunner(forge, place, id);
    const set = { isDisabled, updatedAt: nowSeconds(forge.clock), ...(isDisabled ? {} : { place }) };
    const changes = { set, add: { v: 1 } };
    const isDone = await forge.table.write(update(runnerKey(place, id), changes, equals({ v: runner.v })));
    if (isDone) return { ...runner, ...set, v: runner.v + 1 };
  }
  throw conflict(`runner ${id} is being changed by others; try again`);
}

/** Keeps what a runner says of itself when it starts. 422 as on registration; NotFound when it is gone. */
export async function declareRunner(
  forge: Forge,
  runner: Runner,
  given: Pick<NewRunner, "version" | "labels">,
): Promise<Runner> {
  const set = { ...checkedDeclaration(given), updatedAt: nowSeconds(forge.clock) };
  const key = runnerKey(runner.place, runner.id);
  const isThere = await forge.table.write(update(key, { set, add: { v: 1 } }, exists));
  if (!isThere) throw notFound(`runner does not exist [id: ${runner.id}]`);
  return { ...runner, ...set, v: runner.v + 1 };
}

/** Removes a runner: its token opens nothing any more. NotFound when the place has none such. */
export async function removeRunner(forge: Forge, place: ActionsPlace, id: number): Promise<void> {
  const { uuid } = await getRunner(forge, place, id);
  const { committed } = await forge.table.transact([
    remove(runnerKey(place, id), exists),
    remove(runnerGuardKey(uuid)),
  ]);
  if (!committed) throw notFound(`runner does not exist [id: ${id}]`);
}
