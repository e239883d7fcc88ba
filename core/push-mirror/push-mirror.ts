import { randomBytes } from "node:crypto";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { badRequest, notFound, unauthorized } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { parseGlob } from "../pattern/glob.ts";
import { readRemoteAddress } from "../remote/remote-address.ts";
import { hostProblem, sealCredentials } from "../remote/remote-client.ts";
import { repositoryDelta } from "../repository/listing/index-writes.ts";
import { formatInterval, parseInterval } from "../repository/mirror.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, put, remove, update, type Write } from "../table/write.ts";
import {
  type PushMirror,
  pushMirrorDueWrite,
  pushMirrorKey,
  pushMirrorSecretContext,
  pushMirrorsOf,
} from "./push-mirror.table.ts";

/** A new push mirror as a form gives it. */
export interface NewPushMirror {
  readonly address: string;
  readonly username: string;
  readonly password: string;
  /** A length of time such as `8h30m0s`; 0: no planned runs. */
  readonly interval: string;
  readonly syncsOnPush: boolean;
  readonly branchFilter: string;
  readonly usesSsh: boolean;
}

const mostPerRepository = 20;
const mostFilterCharacters = 1_000;
const mostPatterns = 50;

/**
 * Adds a push mirror. 400 for what is not valid (semantics §8.1), 401 for an address that may not be reached. Its first
 * run is due at once when runs are planned at all.
 */
export async function createPushMirror(
  forge: Forge,
  { id: repositoryId }: Pick<Repository, "id">,
  given: NewPushMirror,
): Promise<PushMirror> {
  if (forge.config.disableNewPushMirrors) throw badRequest("new push mirrors are switched off here");
  const { remote, intervalSeconds } = checked(forge, given);
  if ((await listPushMirrors(forge, repositoryId)).length >= mostPerRepository) {
    throw badRequest(`a repository has at most ${mostPerRepository} push mirrors: remove one first`);
  }
  const now = nowSeconds(forge.clock);
  const name = `remote_mirror_${randomName()}`;
  const context = pushMirrorSecretContext({ repositoryId, name });
  const mirror: PushMirror = {
    ...pushMirrorKey(repositoryId, name),
    ...{ repositoryId, name, url: remote.url },
    ...defined({ credentials: sealCredentials(forge, context, remote.credentials) }),
    ...{ intervalSeconds, syncsOnPush: given.syncsOnPush, branchFilter: given.branchFilter.trim() },
    ...{ createdAt: now, lastRunAt: 0, nextRunAt: intervalSeconds === 0 ? 0 : now },
    v: 1,
    _v: 1,
  };
  for await (const _attempt of attempts()) {
    const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
    if (repository?.state !== "live") break;
    const { committed } = await forge.table.transact([
      put(mirror, absent),
      ...(intervalSeconds === 0 ? [] : [pushMirrorDueWrite(mirror, now)]),
      ...markWrites(repository),
    ]);
    if (committed) return mirror;
  }
  throw notFound("the repository was deleted meanwhile");
}

/** What follows a push looks for push mirrors only where the repository says that there may be some. */
function markWrites(repository: Repository): Write[] {
  const { id, v, hasPushMirrors } = repository;
  if (hasPushMirrors === true) return [check(repositoryKey(id), equals({ state: "live" }))];
  const marked = { hasPushMirrors: true as const, v: v + 1 };
  return [
    update(repositoryKey(id), { set: marked }, equals({ v, state: "live" })),
    repositoryDelta({ ...repository, ...marked }),
  ];
}

function checked(forge: Forge, given: NewPushMirror) {
  if (given.usesSsh) {
    const isDoubled = given.username !== "" || given.password !== "";
    throw badRequest(
      isDoubled
        ? "'use_ssh' is mutually exclusive with 'remote_username' and 'remote_password'"
        : "SSH is not served here: use an https address with a name and a password or token",
    );
  }
  const intervalSeconds = parseInterval(given.interval);
  if (intervalSeconds === undefined)
    throw badRequest("interval: expected a length of time such as 8h30m0s, or 0");
  const least = forge.config.mirrorMinIntervalSeconds;
  if (intervalSeconds > 0 && intervalSeconds < least) {
    throw badRequest(`interval: expected 0, or at least ${formatInterval(least)}`);
  }
  const problem = filterProblem(given.branchFilter);
  if (problem !== undefined) throw badRequest(`branch_filter: ${problem}`);
  const remote = readRemoteAddress(given.address, given);
  if (typeof remote === "string") throw badRequest(`remote_address: ${remote}`);
  const refusal = hostProblem(forge, remote.url);
  if (refusal !== undefined) throw unauthorized(`remote_address: ${refusal}`);
  return { remote, intervalSeconds };
}

/** The globs of a filter. */
export const patternsIn = (filter: string): string[] =>
  filter
    .split(",")
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");

function filterProblem(filter: string): string | undefined {
  if (filter.length > mostFilterCharacters) return `at most ${mostFilterCharacters} characters`;
  const patterns = patternsIn(filter);
  if (patterns.length > mostPatterns) return `at most ${mostPatterns} patterns`;
  for (const pattern of patterns) {
    const glob = parseGlob(pattern);
    if ("problem" in glob) return glob.problem;
  }
  return undefined;
}

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const randomName = (): string =>
  [...randomBytes(10)].map((byte) => alphabet[byte % alphabet.length]).join("");

/** A repository's push mirrors, the oldest first. */
export async function listPushMirrors({ table }: Forge, repositoryId: number): Promise<PushMirror[]> {
  const mirrors = await table.queryAll<PushMirror>(pushMirrorsOf(repositoryId));
  return mirrors.sort((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1));
}

const namePattern = /^\w{1,100}$/;

/** NotFound when there is none of this name. */
export async function getPushMirror(
  { table }: Forge,
  repositoryId: number,
  name: string,
): Promise<PushMirror> {
  const found = namePattern.test(name)
    ? await table.get<PushMirror>(pushMirrorKey(repositoryId, name))
    : undefined;
  if (found === undefined) throw notFound("the repository has no push mirror of this name");
  return found;
}

/**
 * Removes a push mirror; nothing happens when there is none of this name (semantics §8.1). NotFound for what can be no
 * name. The copy stays as it is.
 */
export async function removePushMirror({ table }: Forge, repositoryId: number, name: string): Promise<void> {
  if (!namePattern.test(name)) throw notFound("the repository has no push mirror of this name");
  await table.write(remove(pushMirrorKey(repositoryId, name), exists));
}
