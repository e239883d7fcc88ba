import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { all, below, equals, exists } from "../table/condition.ts";
import { remove, update } from "../table/write.ts";
import { type Job, type JobValue, jobKey } from "./job.table.ts";
import { type JobKinds, jobMessage } from "./job.ts";

/**
 * The end of a run. `done`: the work is finished, or was already. `busy`: another works on it, or it waits after a
 * failure. `paused`: the time was over, a message continues it. `waiting`: it rests, the tick continues it. `lost`:
 * another took the lease and continues. `failed`: a step threw; the tick starts it again after a growing pause.
 */
export type JobOutcome = {
  readonly outcome: "done" | "busy" | "paused" | "waiting" | "lost" | "failed";
  readonly steps: number;
};

/** Bounds of one run. The lease is renewed while a step works; it tells how long a job waits after its worker was killed. */
export interface RunOptions {
  readonly budgetMs: number;
  readonly leaseMs?: number;
}

const defaultLeaseMs = 120_000;
const firstPauseMs = 30_000;
const longestPauseMs = 3_600_000;

interface Run {
  readonly forge: Forge;
  readonly id: string;
  readonly holder: string;
  readonly leaseMs: number;
}

/** Takes a job's lease and works on it, step by step, until it is done or the time is over. */
export async function runJob(
  forge: Forge,
  kinds: JobKinds,
  id: string,
  { budgetMs, leaseMs = defaultLeaseMs }: RunOptions,
): Promise<JobOutcome> {
  const run: Run = { forge, id, holder: randomId(), leaseMs };
  const startedAt = forge.clock.now();
  const taken = await take(run);
  if (typeof taken === "string") return { outcome: taken, steps: 0 };
  let cursor = taken.cursor;
  for (let steps = 1; ; steps += 1) {
    const step = await tryStep(run, kinds, steps === 1 ? taken : { ...taken, attempts: 1 }, cursor);
    if (step === undefined) return { outcome: "failed", steps };
    if ("done" in step) return { outcome: (await complete(run)) ? "done" : "lost", steps };
    cursor = step.cursor;
    if (!(await save(run, cursor))) return { outcome: "lost", steps };
    if (step.waitMs !== undefined) {
      await giveBack(run, forge.clock.now() + step.waitMs);
      return { outcome: "waiting", steps };
    }
    if (forge.clock.now() - startedAt >= budgetMs) {
      await pause(run, taken);
      return { outcome: "paused", steps };
    }
  }
}

async function take({ forge, id, holder, leaseMs }: Run): Promise<Job | "busy" | "done"> {
  const now = forge.clock.now();
  const changes = { set: { holder, until: now + leaseMs }, add: { attempts: 1 } };
  await forge.table.write(update(jobKey(id), changes, all(exists, below({ until: now + 1 }))));
  const job = await forge.table.get<Job>(jobKey(id));
  if (job === undefined) return "done";
  return job.holder === holder ? job : "busy";
}

async function tryStep(run: Run, kinds: JobKinds, job: Job, cursor: JobValue | undefined) {
  const renewing = setInterval(() => renew(run), run.leaseMs / 3);
  try {
    const kind = kinds[job.kind];
    if (kind === undefined) throw new Error(`no worker knows jobs of the kind ${job.kind}`);
    return await kind.step(run.forge, job.arguments as never, cursor as never);
  } catch (error) {
    run.forge.log.error("job:step-failed", { job: run.id, kind: job.kind, attempts: job.attempts, error });
    await postpone(run, job.attempts, error);
    return undefined;
  } finally {
    clearInterval(renewing);
  }
}

/** Renews the lease of a step that takes long. One that is lost already is found out when the step's end is saved. */
function renew({ forge, id, holder, leaseMs }: Run): void {
  const until = forge.clock.now() + leaseMs;
  forge.table
    .write(update(jobKey(id), { set: { until } }, equals({ holder })))
    .catch((error: unknown) => forge.log.warn("job:lease-not-renewed", { job: id, error }));
}

/** Saves the cursor and renews the lease; false when another has the lease by now. */
function save({ forge, id, holder, leaseMs }: Run, cursor: JobValue): Promise<boolean> {
  const set = { cursor, until: forge.clock.now() + leaseMs, attempts: 1 };
  return forge.table.write(
    update(jobKey(id), { set, add: { steps: 1 }, unset: ["problem"] }, equals({ holder })),
  );
}

async function complete({ forge, id, holder }: Run): Promise<boolean> {
  if (await forge.table.write(remove(jobKey(id), equals({ holder })))) return true;
  // Gone: finished by ourselves, when the first answer got lost, or by a rival with the same work.
  return (await forge.table.get(jobKey(id))) === undefined;
}

async function pause(run: Run, job: Job): Promise<void> {
  await giveBack(run, 0);
  await send(run.forge, [jobMessage(job)]);
}

/** Gives the lease back; nobody takes the job before `until`. */
async function giveBack({ forge, id, holder }: Run, until: number): Promise<void> {
  await forge.table.write(update(jobKey(id), { set: { until }, unset: ["holder"] }, equals({ holder })));
}

async function postpone({ forge, id, holder }: Run, attempts: number, error: unknown): Promise<void> {
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts - 1, 10));
  const problem = error instanceof Error ? error.message.slice(0, 500) : String(error).slice(0, 500);
  const set = { until: forge.clock.now() + pauseMs, problem };
  try {
    await forge.table.write(update(jobKey(id), { set, unset: ["holder"] }, equals({ holder })));
  } catch (cause) {
    forge.log.error("job:postpone-failed", { job: id, error: cause });
  }
}
