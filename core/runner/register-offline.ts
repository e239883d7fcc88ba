import type { ActionsPlace } from "../actions/place.ts";
import { placePartition } from "../actions/place.ts";
import { nowSeconds } from "../clock.ts";
import { badRequest, conflict, isForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey } from "../owner/owner.table.ts";
import { type RepositoryNameGuard, repositoryNameKey } from "../repository/repository.table.ts";
import { equals, exists } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { runnerSecretHash } from "./registration-token.ts";
import { type Runner, type RunnerGuard, runnerGuardKey, runnerKey } from "./runner.table.ts";
import { checkedDeclaration, getRunner, registerRunnerAs, runnerName } from "./runner.ts";

/** A runner that an operator announces, so that it needs no request of its own to register (semantics §60.5). */
export interface OfflineRunner {
  /** 40 hex digits, which the runner is told as well. */
  readonly secret: string;
  /** `owner`, `owner/repository`, or nothing for the whole installation. */
  readonly scope: string;
  readonly name?: string;
  readonly version?: string;
  /** Those that it has stay when absent. */
  readonly labels?: readonly string[];
}

const secretForm = /^[0-9a-fA-F]{40}$/;

/**
 * Registers a runner by a secret that both sides know: its first 16 characters are the bytes of the UUID, all of it is
 * the token. Repeated with the same first 16 characters it changes that runner. BadRequest for another form; NotFound for
 * a scope that is not there; Conflict when the runner belongs elsewhere.
 */
export async function registerRunnerOffline(forge: Forge, given: OfflineRunner): Promise<Runner> {
  const { secret, scope, labels } = given;
  if (!secretForm.test(secret)) throw badRequest("the secret has to have 40 hexadecimal digits");
  const place = await placeOfScope(forge, scope);
  const uuid = uuidOf(secret);
  const told = { name: given.name ?? "runner", version: given.version ?? "" };
  const known = await forge.table.get<RunnerGuard>(runnerGuardKey(uuid));
  if (known !== undefined) return changed(forge, place, known, { ...given, ...told });
  try {
    const fresh = { ...told, ...(labels && { labels }) };
    return (await registerRunnerAs(forge, place, fresh, { uuid, token: secret })).runner;
  } catch (error) {
    // Another process was faster: what it made is changed.
    const guard = await forge.table.get<RunnerGuard>(runnerGuardKey(uuid));
    if (!isForgeError(error, "conflict") || guard === undefined) throw error;
    return changed(forge, place, guard, { ...given, ...told });
  }
}

/** The UUID that a runner takes from its secret. */
function uuidOf(secret: string): string {
  const hex = Buffer.from(secret.slice(0, 16), "latin1").toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

async function changed(
  forge: Forge,
  place: ActionsPlace,
  { place: registered, runnerId }: RunnerGuard,
  { secret, name = "", version = "", labels }: OfflineRunner,
): Promise<Runner> {
  if (placePartition(registered) !== placePartition(place)) {
    throw conflict(`runner ${runnerId} is registered with another scope: delete it, or take another secret`);
  }
  const runner = await getRunner(forge, place, runnerId);
  const declared = checkedDeclaration({ version, labels: labels ?? runner.labels });
  // A repository may have another owner by now: who names it so wants the runner on there.
  const set = {
    ...{ place, name: runnerName(name), ...declared, tokenHash: runnerSecretHash(secret) },
    updatedAt: nowSeconds(forge.clock),
  };
  const { committed } = await forge.table.transact([
    update(runnerKey(place, runnerId), { set, add: { v: 1 } }, exists),
    update(runnerGuardKey(runner.uuid), { set: { place } }, equals({ runnerId })),
  ]);
  if (!committed) throw notFound(`runner does not exist [id: ${runnerId}]`);
  return { ...runner, ...set, v: runner.v + 1 };
}

async function placeOfScope({ table }: Forge, scope: string): Promise<ActionsPlace> {
  if (scope === "") return { kind: "global" };
  const [ownerName = "", name, ...more] = scope.split("/");
  const owner = await table.get<NameGuard>(nameGuardKey(ownerName));
  if (owner === undefined || owner.kind === "redirect" || more.length > 0) throw noScope(scope);
  const { kind, ownerId } = owner;
  if (name === undefined) return { kind, id: ownerId };
  const found = await table.get<RepositoryNameGuard>(repositoryNameKey(ownerId, name));
  if (found === undefined || found.moved === true) throw noScope(scope);
  return { kind: "repository", id: found.repositoryId, ownerId };
}

const noScope = (scope: string) => notFound(`there is no owner or repository ${scope}`);
