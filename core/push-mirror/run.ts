import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { pushRemote } from "../git/client/push.ts";
import type { RemoteRefs } from "../git/client/remote.ts";
import type { RefChange } from "../git/refs/check-changes.ts";
import { visibleRepository } from "../git/refs/hidden-refs.ts";
import type { RefTable } from "../git/refs/ref-table.ts";
import { openRepository } from "../git/store/store.ts";
import type { JobKind } from "../jobs/job.ts";
import { refusedText } from "../mirror/land.ts";
import { isMirrored } from "../mirror/ref-changes.ts";
import { wikiUrlOf } from "../remote/remote-address.ts";
import { addressFor, openCredentials } from "../remote/remote-client.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
import { filteredNames } from "./branch-filter.ts";
import {
  type PushMirror,
  type PushMirrorId,
  pushMirrorDueWrite,
  pushMirrorKey,
  pushMirrorSecretContext,
} from "./push-mirror.table.ts";

const mostProblemCharacters = 1_000;

/**
 * One run: all branches, tags and notes are pushed by force, and what is gone here is removed there; then the wiki. A
 * mirror whose repository was archived meanwhile waits for its next time (B-07). What the remote does wrong stands in
 * the mirror's item.
 */
export const runPushMirror: JobKind<PushMirrorId, never> = {
  async step(forge, id) {
    const found = await findMirror(forge, id);
    if (found === undefined) return { done: true };
    const { repository, mirror } = found;
    const mayRun = !repository.isArchived && !forge.config.disableMirrors;
    await endRun(forge, id, mayRun ? { problem: await pushAll(forge, repository, mirror) } : undefined);
    return { done: true };
  },
};

async function findMirror(
  { table }: Forge,
  { repositoryId, name }: PushMirrorId,
): Promise<{ repository: Repository; mirror: PushMirror } | undefined> {
  const keys = [repositoryKey(repositoryId), pushMirrorKey(repositoryId, name)] as const;
  const found = await table.getAll([...keys]);
  const repository = found.get(keyText(keys[0])) as Repository | undefined;
  const mirror = found.get(keyText(keys[1])) as PushMirror | undefined;
  return repository?.state === "live" && mirror !== undefined ? { repository, mirror } : undefined;
}

/** Pushes code and wiki; answers what went wrong. */
async function pushAll(
  forge: Forge,
  repository: Repository,
  mirror: PushMirror,
): Promise<string | undefined> {
  const problem = await pushOne(forge, repository.id, mirror, mirror.url);
  const { wikiId } = repository;
  if (problem !== undefined || wikiId === undefined) return problem;
  const wikiProblem = await pushOne(forge, wikiId, { ...mirror, branchFilter: "" }, wikiUrlOf(mirror.url));
  return wikiProblem === undefined ? undefined : `the wiki: ${wikiProblem}`;
}

async function pushOne(
  forge: Forge,
  gitId: number,
  mirror: PushMirror,
  url: string,
): Promise<string | undefined> {
  const stored = await openRepository(forge, gitId);
  if (stored === undefined || stored.refs.entries.length === 0) return undefined;
  const git = visibleRepository(stored);
  const credentials = openCredentials(forge, pushMirrorSecretContext(mirror), mirror.credentials);
  const address = addressFor(forge, { url, ...defined({ credentials }) });
  const plan = (remote: RemoteRefs) => pushChanges(git.refs, remote, mirror.branchFilter);
  const pushed = await pushRemote(address, git, { plan });
  if (!pushed.ok) return pushed.reason.message;
  return refusedText(pushed.value.results.filter(({ refusal }) => refusal !== undefined));
}

/** What makes the remote's refs like ours, as far as the filter lets them through. */
async function pushChanges(ours: RefTable, theirs: RemoteRefs, filter: string): Promise<RefChange[]> {
  const known = new Map(theirs.refs.filter(({ name }) => isMirrored(name)).map(({ name, id }) => [name, id]));
  const own = ours.entries.filter(({ name }) => isMirrored(name));
  const chosen = await filteredNames(filter, [...new Set([...known.keys(), ...own.map(({ name }) => name)])]);
  const gone = [...known]
    .filter(([name]) => chosen.has(name) && ours.find(name) === undefined)
    .map(([name, old]) => ({ name, old }));
  const moved = own
    .filter(({ name, id }) => chosen.has(name) && known.get(name) !== id)
    .map(({ name, id }) => ({ name, new: id, ...defined({ old: known.get(name) }) }));
  return [...gone, ...moved];
}

/** Records the end of a run, if there was one, and plans the next, in one transaction. */
async function endRun(
  forge: Forge,
  { repositoryId, name }: PushMirrorId,
  run: { readonly problem: string | undefined } | undefined,
): Promise<void> {
  for await (const _attempt of attempts()) {
    const mirror = await forge.table.get<PushMirror>(pushMirrorKey(repositoryId, name));
    if (mirror === undefined) return; // removed meanwhile
    const now = nowSeconds(forge.clock);
    const nextRunAt = mirror.intervalSeconds === 0 ? 0 : now + mirror.intervalSeconds;
    const problem = run?.problem?.slice(0, mostProblemCharacters);
    const set = {
      ...{ nextRunAt, v: mirror.v + 1 },
      ...defined({ lastRunAt: run && now, problem }),
    };
    const ended = { set, unset: run !== undefined && problem === undefined ? ["problem"] : [] };
    const { committed } = await forge.table.transact([
      update(pushMirrorKey(repositoryId, name), ended, equals({ v: mirror.v })),
      ...(nextRunAt === 0 ? [] : [pushMirrorDueWrite(mirror, nextRunAt)]),
    ]);
    if (committed) return;
  }
  throw new Error(`the end of a run of ${name} of repository ${repositoryId} could not be recorded`);
}
