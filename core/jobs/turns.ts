import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { absent, all, any, below, equals, exists } from "../table/condition.ts";
import { put, remove, update } from "../table/write.ts";
import { type Job, jobKey, type Turn, turnKey, waitingJobId, waitingKey, waitingOf } from "./job.table.ts";
import { jobMessage } from "./job.ts";

/** Renewed while there is work: it tells how long an owner's jobs wait after a worker was killed. */
const turnMs = 120_000;
/** The tick looks after a waiting job no earlier: whoever has the turn passes it on. */
const waitingMs = 300_000;
const keptSeconds = 86_400;

type Waiting = Pick<Job, "id" | "queue"> & { readonly turnOf: number };

/**
 * Works on a job in its owner's turn: one job of an owner at a time, so that an owner with a thousand slow ones takes one
 * place of the worker and no more. Another waits in the table, and the turn goes round among those that wait; undefined
 * says that this one does. Without `turnOf` the work is done at once.
 */
export async function inOwnersTurn<T>(
  forge: Forge,
  { id, queue, turnOf }: Pick<Job, "id" | "queue" | "turnOf">,
  work: () => Promise<T>,
): Promise<T | undefined> {
  if (turnOf === undefined) return work();
  const job = { id, turnOf, ...(queue && { queue }) };
  const holder = randomId();
  if (!(await takeTurn(forge, job, holder)) && !(await waitForTurn(forge, job, holder))) return undefined;
  const renewing = setInterval(() => renew(forge, job, holder), turnMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await passOn(forge, job, holder);
  }
}

async function takeTurn({ table, clock }: Forge, { id, turnOf }: Waiting, holder: string): Promise<boolean> {
  const now = clock.now();
  const key = turnKey(turnOf);
  const ttl = Math.floor(now / 1000) + keptSeconds;
  const turn: Turn = { ...key, jobId: id, holder, until: now + turnMs, ttl, _v: 1 };
  if (await table.write(put(turn, any(absent, below({ until: now + 1 }))))) return true;
  // After a lost answer the store tries again, and the second try meets our own turn.
  return (await table.get<Turn>(key))?.holder === holder;
}

/** Has the job wait; true when the turn was passed on meanwhile, and is this job's now. */
async function waitForTurn(forge: Forge, job: Waiting, holder: string): Promise<boolean> {
  const { table, clock } = forge;
  const { id, turnOf } = job;
  const now = clock.now();
  // One that is at work, at rest, over or waits already has nothing to wait for.
  const waits = { set: { until: now + waitingMs }, unset: ["holder"] };
  if (!(await table.write(update(jobKey(id), waits, all(exists, below({ until: now + 1 })))))) return false;
  await table.write(put({ ...waitingKey(turnOf, id), ttl: Math.floor(now / 1000) + keptSeconds, _v: 1 }));
  if (!(await takeTurn(forge, job, holder))) return false;
  await wake(forge, id);
  await table.write(remove(waitingKey(turnOf, id), exists));
  return true;
}

function renew({ table, clock, log }: Forge, { turnOf }: Waiting, holder: string): void {
  const until = clock.now() + turnMs;
  table
    .write(update(turnKey(turnOf), { set: { until } }, equals({ holder })))
    .catch((error: unknown) => log.warn("job:turn-not-renewed", { ownerId: turnOf, error }));
}

/** Ends the turn, then wakes the next job: a crash between leaves that to the tick. */
async function passOn(forge: Forge, job: Waiting, holder: string): Promise<void> {
  await forge.table.write(remove(turnKey(job.turnOf), equals({ holder })));
  for (let next = await nextOf(forge, job); next !== undefined; next = await nextOf(forge, job)) {
    const isWoken = await wake(forge, next);
    if (isWoken) await send(forge, [jobMessage({ ...job, id: next })]);
    await forge.table.write(remove(waitingKey(job.turnOf, next), exists));
    if (isWoken) return;
  }
}

/** Lets a waiting job be taken; false when it is over, or at work. */
const wake = ({ table }: Forge, id: string): Promise<boolean> =>
  table.write(update(jobKey(id), { set: { until: 0 } }, all(exists, equals({ holder: undefined }))));

/** The first that waits behind this job's id, else the first of all: so all come round. */
async function nextOf({ table }: Forge, { id, turnOf }: Waiting): Promise<string | undefined> {
  const waiting = waitingOf(turnOf);
  const own = waitingKey(turnOf, id).sk;
  const [behind] = await table.queryAll({ ...waiting, after: own, limit: 1 });
  const [next] = behind === undefined ? await table.queryAll({ ...waiting, limit: 1 }) : [behind];
  return next === undefined ? undefined : waitingJobId(next);
}
