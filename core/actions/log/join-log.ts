import { randomUUID } from "node:crypto";
import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import { equals, exists } from "../../table/condition.ts";
import { queryPages } from "../../table/query-pages.ts";
import { update } from "../../table/write.ts";
import { type JobTask, taskKey, type WholeLog } from "../actions.table.ts";
import { findTask } from "../run/run.ts";
import { type LogPiece, logObjectsOf, logPiecesOf } from "./log.table.ts";

/**
 * Joins the pieces of a closed log into one object, of which some megabytes at a time are in memory. The pieces stay,
 * for those who are reading them: `tidyLog` removes them. False when somebody else has joined it. Throws when pieces are
 * missing.
 */
export async function joinLog(forge: Forge, repositoryId: number, task: JobTask): Promise<boolean> {
  const { jobNumber, logLines } = task;
  const { items } = await forge.table.query<LogPiece>({ ...logPiecesOf(repositoryId, jobNumber), limit: 2 });
  const [first, second] = items;
  const only = second === undefined && first?.lines === logLines ? first.objectKey : undefined;
  const objectKey = only ?? `${logObjectsOf(repositoryId, jobNumber)}${randomUUID()}`;
  if (only === undefined) await forge.blobs.putStream(objectKey, piecesOf(forge, repositoryId, task));
  const isJoined = await saveLog(forge, repositoryId, task, { objectKey, at: nowSeconds(forge.clock) });
  if (isJoined || only !== undefined) return isJoined;
  // A write whose answer was lost has met itself: the task names the object then.
  const now = await findTask(forge, repositoryId, jobNumber);
  if (now?.log?.objectKey === objectKey) return true;
  await forge.blobs.remove([objectKey]);
  return false;
}

/** Pieces are read so many at once, unless they are long. */
const readAtOnce = { pieces: 16, bytes: 8 * 2 ** 20 };

async function* piecesOf(
  { table, blobs }: Forge,
  repositoryId: number,
  { jobNumber, logLines }: JobTask,
): AsyncIterable<Uint8Array> {
  let lines = 0;
  for await (const page of queryPages<LogPiece>(table, logPiecesOf(repositoryId, jobNumber))) {
    for (const group of groupsOf(page)) {
      yield* await Promise.all(group.map(({ objectKey }) => blobs.get(objectKey)));
      lines += group.reduce((sum, piece) => sum + piece.lines, 0);
    }
  }
  if (lines !== logLines)
    throw new Error(`the log of job ${jobNumber} has ${logLines} lines, its pieces ${lines}`);
}

/** Neighbours that are read at once: at least one, and no more than there is room for. */
function groupsOf(pieces: readonly LogPiece[]): LogPiece[][] {
  const groups: LogPiece[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const piece of pieces) {
    const last = groups.at(-1);
    bytes += piece.bytes;
    if (last !== undefined && bytes <= readAtOnce.bytes && last.length < readAtOnce.pieces) last.push(piece);
    else {
      groups.push([piece]);
      bytes = piece.bytes;
    }
  }
  return groups;
}

/** Notes what became of a log; false when that has changed since the task was read. */
const saveLog = (
  { table }: Forge,
  repositoryId: number,
  { jobNumber, log, logLines }: JobTask,
  next: WholeLog,
): Promise<boolean> =>
  table.write(update(taskKey(repositoryId, jobNumber), { set: { log: next } }, equals({ log, logLines })));

const piecesAtOnce = 500;

/** A log whose pieces can't be joined is tried so often, once an hour: a day's trouble of S3 passes. */
export const mostJoinFailures = 24;

/** Notes that a log could not be joined, and tells when that is given up: its pieces stay then, as long as logs are kept. */
export async function noteJoinFailure(
  { table, log }: Pick<Forge, "table" | "log">,
  repositoryId: number,
  { jobNumber, runNumber, joinFailures = 0 }: JobTask,
  error: unknown,
): Promise<void> {
  const failures = joinFailures + 1;
  await table.write(update(taskKey(repositoryId, jobNumber), { set: { joinFailures: failures } }, exists));
  const event = failures < mostJoinFailures ? "actions:log-not-joined" : "actions:log-given-up";
  log.error(event, { repositoryId, run: runNumber, job: jobNumber, failures, error });
}

/** Removes the pieces of a log, and all objects of its job but the log as it is now and the outputs. */
export async function tidyLog(
  forge: Forge,
  repositoryId: number,
  task: JobTask & { readonly log: WholeLog },
): Promise<void> {
  const { jobNumber, log, outputsKey } = task;
  const { table, blobs } = forge;
  for (;;) {
    const { items, next } = await table.query({
      ...{ ...logPiecesOf(repositoryId, jobNumber), limit: piecesAtOnce },
    });
    await table.removeAll(items);
    if (next === undefined) break;
  }
  const left: string[] = [];
  for await (const { key } of blobs.list(logObjectsOf(repositoryId, jobNumber)))
    if (key !== log.objectKey && key !== outputsKey) left.push(key);
  await blobs.remove(left);
  await saveLog(forge, repositoryId, task, { ...log, isTidy: true });
}

/** Takes a log away whose time is over; its object goes with the next `tidyLog`. False as above. */
export const expireLog = (forge: Forge, repositoryId: number, task: JobTask): Promise<boolean> =>
  saveLog(forge, repositoryId, task, { at: nowSeconds(forge.clock) });
