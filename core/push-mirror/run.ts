import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { JobKind, JobStep } from "../jobs/job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
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
 * One run: all branches, tags and notes are pushed by force, and what is gone here is removed there; then the wiki. Each
 * step looks at both sides anew, so what a killed worker did counts. A mirror whose repository was archived meanwhile
 * waits for its next time (B-07). What the remote does wrong stands in the mirror's item.
 */
export const runPushMirror: JobKind<PushMirrorId, RunCursor> = {
  async step(forge, id, cursor = { part: "code", refused: [] }) {
    const found = await findMirror(forge, id);
    if (found === undefined) return { done: true };
    const { repository, mirror } = found;
    if (repository.isArchived || forge.config.disableMirrors) return ended(forge, id, undefined);
    const gitId = cursor.part === "code" ? repository.id : repository.wikiId;
    const pushed = await pushSome(forge, gitId, mirror, cursor);
    if (pushed.kind === "goes-on") return { cursor: pushed.cursor };
    const { problem } = pushed;
    if (cursor.part === "code" && pushed.kind === "done" && repository.wikiId !== undefined) {
      return { cursor: { part: "wiki", refused: [], ...defined({ problem }) } };
    }
    const ofWiki = cursor.part === "wiki" && problem !== undefined ? `the wiki: ${problem}` : problem;
    return ended(forge, id, { problem: cursor.problem ?? ofWiki });
  },
};

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
): Promise<{ repository: Repository; mirror: PushMirror } | undefined> {
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
