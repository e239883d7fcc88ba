import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { JobKind, JobStep } from "../jobs/job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
import { pushLfs } from "./push-lfs.ts";
import {
  type PushMirror,
  type PushMirrorId,
  pushMirrorDueWrite,
  pushMirrorKey,
} from "./push-mirror.table.ts";
import { pushSome, type RunCursor } from "./push-some.ts";

const mostProblemCharacters = 1_000;
type RunStep = JobStep<RunCursor>;

/**
 * One run: objects of Git LFS go first, then all branches, tags and notes are pushed by force, and what is gone here is
 * removed there; then the wiki. Each step looks at both sides anew, so what a killed worker did counts. A mirror whose
 * repository was archived meanwhile waits for its next time (B-07). What the remote does wrong stands in the mirror's
 * item.
 */
export const runPushMirror: JobKind<PushMirrorId, RunCursor> = {
  async step(forge, id, cursor = { part: "lfs", refused: [] }) {
    const found = await findMirror(forge, id);
    if (found === undefined) return { done: true };
    if (found.repository.isArchived || forge.config.disableMirrors) return ended(forge, id, undefined);
    return cursor.part === "lfs" ? objectsStep(forge, found, cursor) : refsStep(forge, found, cursor);
  },
};

interface FoundMirror {
  readonly repository: Repository;
  readonly mirror: PushMirror;
}

/** The refs follow their objects, or stay behind with them. */
async function objectsStep(forge: Forge, found: FoundMirror, cursor: RunCursor): Promise<RunStep> {
  const lfs = await pushLfs(forge, found.mirror, cursor);
  if (lfs.kind === "further") return { cursor: { ...cursor, lfs: lfs.progress } };
  if (lfs.kind === "failed") return ended(forge, found.mirror, { problem: lfs.problem });
  const { problem } = lfs.progress;
  const code: RunCursor = { ...cursor, part: "code", lfs: lfs.progress, ...defined({ problem }) };
  // After objects were sent the refs get the time of a step of their own.
  return lfs.hasSent ? { cursor: code } : refsStep(forge, found, code);
}

async function refsStep(
  forge: Forge,
  { repository, mirror }: FoundMirror,
  cursor: RunCursor,
): Promise<RunStep> {
  const isWiki = cursor.part === "wiki";
  const pushed = await pushSome(forge, isWiki ? repository.wikiId : repository.id, mirror, cursor);
  if (pushed.kind === "goes-on") return { cursor: pushed.cursor };
  const own = isWiki && pushed.problem !== undefined ? `the wiki: ${pushed.problem}` : pushed.problem;
  const problem = isWiki ? (cursor.problem ?? own) : (own ?? cursor.problem);
  if (!isWiki && pushed.kind === "done" && repository.wikiId !== undefined) {
    return { cursor: { part: "wiki", refused: [], ...defined({ problem }) } };
  }
  return ended(forge, mirror, { problem });
}

async function ended(
  forge: Forge,
  id: PushMirrorId,
  run: { readonly problem: string | undefined } | undefined,
): Promise<RunStep> {
  await endRun(forge, id, run);
  return { done: true };
}

async function findMirror(
  { table }: Forge,
  { repositoryId, name }: PushMirrorId,
): Promise<FoundMirror | undefined> {
  const keys = [repositoryKey(repositoryId), pushMirrorKey(repositoryId, name)] as const;
  const found = await table.getAll([...keys]);
  const repository = found.get(keyText(keys[0])) as Repository | undefined;
  const mirror = found.get(keyText(keys[1])) as PushMirror | undefined;
  return repository?.state === "live" && mirror !== undefined ? { repository, mirror } : undefined;
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
