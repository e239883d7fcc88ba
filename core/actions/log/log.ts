import { randomUUID } from "node:crypto";
import { nowSeconds } from "../../clock.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { conflict } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { equals } from "../../table/condition.ts";
import { queryPages } from "../../table/query-pages.ts";
import { put, update } from "../../table/write.ts";
import { type JobTask, taskKey } from "../actions.table.ts";
import { findTask } from "../run/run.ts";
import { type LogPiece, logObjectsOf, logPieceKey, logPiecesOf } from "./log.table.ts";

/** Lines of a log, each ended by a line feed, and the number of the first of them. */
export interface LogLines {
  readonly first: number;
  readonly lines: readonly string[];
  /** No more lines come. */
  readonly isLast: boolean;
}

/** How a log took lines: `lines` counts those that it has. */
export type LogAnswer =
  | { readonly kind: "taken"; readonly lines: number }
  | { readonly kind: "sealed" | "none" }
  /** A log has at most `mostLogBytes`, in `mostLogPieces`. */
  | { readonly kind: "full"; readonly lines: number };

/** The most bytes of one job's log. */
const mostLogBytes = 64 * 2 ** 20;
const mostLogPieces = 50_000;

/**
 * Adds to the log of a task the lines that it has not got yet (semantics §60.3): lines that lie ahead of it are not
 * taken, and those that came already count once. `kind` is `none` when nobody has taken the job.
 */
export async function appendLogPiece(
  forge: Forge,
  place: { readonly repositoryId: number; readonly jobNumber: number },
  given: LogLines,
): Promise<LogAnswer> {
  const { repositoryId, jobNumber } = place;
  for await (const _attempt of attempts()) {
    const task = await findTask(forge, repositoryId, jobNumber);
    if (task === undefined) return { kind: "none" };
    const { logLines, logBytes, logPieces = 0 } = task;
    const fresh = given.first > logLines ? [] : given.lines.slice(logLines - given.first);
    if (task.isLogSealed === true)
      return fresh.length > 0 ? { kind: "sealed" } : { kind: "taken", lines: logLines };
    const seals = given.isLast && given.first + given.lines.length >= logLines && given.first <= logLines;
    if (fresh.length === 0 && !seals) return { kind: "taken", lines: logLines };
    const bytes = Buffer.from(fresh.map((line) => `${line}\n`).join(""));
    if (logBytes + bytes.length > mostLogBytes || logPieces >= mostLogPieces)
      return { kind: "full", lines: logLines };
    const set = {
      ...{ logLines: logLines + fresh.length, logBytes: logBytes + bytes.length },
      logPieces: logPieces + (fresh.length > 0 ? 1 : 0),
      ...{ heardAt: nowSeconds(forge.clock), ...(seals && { isLogSealed: true }) },
    };
    const counted = update(
      taskKey(repositoryId, jobNumber),
      { set },
      equals({ logLines, isLogSealed: undefined }),
    );
    const writes = [counted, ...(await pieceWrites(forge, place, logLines, fresh.length, bytes))];
    if ((await forge.table.transact(writes)).committed) return { kind: "taken", lines: set.logLines };
  }
  throw conflict("too many lines of the log come at once; try again");
}

async function pieceWrites(
  { blobs }: Forge,
  { repositoryId, jobNumber }: { readonly repositoryId: number; readonly jobNumber: number },
  first: number,
  lines: number,
  bytes: Buffer,
) {
  if (lines === 0) return [];
  const objectKey = `${logObjectsOf(repositoryId, jobNumber)}${randomUUID()}`;
  await blobs.put(objectKey, bytes);
  const key = logPieceKey(repositoryId, jobNumber, first);
  const piece: LogPiece = { ...key, objectKey, lines, bytes: bytes.length, _v: 1 };
  return [put(piece)];
}

/** Whether a log's time is over. */
export const isLogExpired = ({ log }: Pick<JobTask, "log">): boolean =>
  log !== undefined && log.objectKey === undefined;

/**
 * The log of a task, as long as it was when the task was read: its pieces stay for a while after they were joined, so
 * what is read of a growing log and of one that is being joined is whole. Nothing once its time is over.
 */
export async function* readLog(
  { table, blobs }: Pick<Forge, "table" | "blobs">,
  repositoryId: number,
  { jobNumber, log, logLines, logBytes }: JobTask,
): AsyncIterable<Uint8Array> {
  if (log !== undefined) {
    if (log.objectKey !== undefined) yield* blobs.stream(log.objectKey, 0, logBytes);
    return;
  }
  let lines = 0;
  for await (const pieces of queryPages<LogPiece>(table, logPiecesOf(repositoryId, jobNumber))) {
    for (const { objectKey, bytes, lines: more } of pieces) {
      lines += more;
      if (lines > logLines) return; // it came after the question
      if (bytes > 0) yield* blobs.stream(objectKey, 0, bytes);
    }
  }
}
