import { createHash } from "node:crypto";
import { runSequenceKey } from "../../ids.ts";
import {
  type EntryKind,
  type EntryLayout,
  existsFlag,
  flagsAt,
  type Row,
} from "../../list-index/entry-kind.ts";
import { runIndexPartition } from "../../list-index/list-index.table.ts";
import { deltaWrite, type ListIndex } from "../../list-index/list-index.ts";
import { numberedIndex } from "../../list-index/numbered-index.ts";
import { checkFormat, fit32 } from "../../list-index/packing.ts";
import type { Write } from "../../table/write.ts";
import { type Run, runKey } from "../actions.table.ts";
import { type JobState, jobStates } from "../job/job-states.ts";
import { type RunEvent, runEvents } from "./run-events.ts";

/** A run's entry in the list index; texts are digests. */
export type RunEntry = Pick<
  Run,
  "state" | "event" | "actorId" | "commitId" | "ref" | "workflow" | "createdAt"
> & {
  readonly jobs: readonly { readonly state: JobState }[];
};

/** Filters for runs; absent members filter nothing, and of several values one suffices. */
export interface RunFilter {
  readonly states?: readonly JobState[];
  readonly events?: readonly RunEvent[];
  readonly actorId?: number;
  readonly commitId?: string;
  /** Full names of refs, of which one suffices. */
  readonly refs?: readonly string[];
  readonly workflow?: string;
  readonly number?: number;
  /** Something of it is left to do, whatever its state says. */
  readonly isUnfinished?: true;
}

/** The list index of a repository's runs, by number. Its one order: the newest first. */
export const runIndex = (repositoryId: number): ListIndex<RunEntry, RunFilter, "newest"> =>
  numberedIndex({
    name: "runs",
    holderId: repositoryId,
    partition: runIndexPartition,
    sequenceKey: runSequenceKey,
    itemKey: runKey,
    kind: runKind,
  });

/** The entry of a run as it is now, for the transaction that writes it. */
export const runDelta = (run: Run): Write => deltaWrite(runIndex(run.repositoryId), run.number, run, run.v);

/** Format 2 added the time. */
const entryFormat = 2;
/** Offsets, in bytes; the counts are two bytes for each state. */
const placeAt = {
  version: 2,
  state: 6,
  event: 7,
  actor: 8,
  commit: 14,
  ref: 22,
  workflow: 30,
  counts: 38,
  created: 38 + 2 * jobStates.length,
  end: 42 + 2 * jobStates.length,
} as const;
const digestBytes = 8;

/** The first bytes of a text's hash: two texts that share them are taken for one. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest().subarray(0, digestBytes);

function encode(run: RunEntry, version: number): Buffer {
  const bytes = Buffer.alloc(placeAt.end);
  bytes[0] = entryFormat;
  bytes[flagsAt] = existsFlag;
  bytes.writeUInt32BE(fit32(version), placeAt.version);
  bytes[placeAt.state] = jobStates.indexOf(run.state);
  bytes[placeAt.event] = runEvents.indexOf(run.event);
  bytes.writeIntBE(run.actorId, placeAt.actor, 6);
  digest(run.commitId).copy(bytes, placeAt.commit);
  digest(run.ref).copy(bytes, placeAt.ref);
  digest(run.workflow).copy(bytes, placeAt.workflow);
  bytes.writeUInt32BE(fit32(run.createdAt), placeAt.created);
  jobStates.forEach((state, at) => {
    bytes.writeUInt16BE(run.jobs.filter((job) => job.state === state).length, placeAt.counts + 2 * at);
  });
  return bytes;
}

/** The members that can be read from an entry: all but those kept as digests. */
function decode(bytes: Buffer, at: number): RunEntry & { readonly version: number } {
  checkFormat(bytes, at, entryFormat, "a run's entry");
  return {
    state: jobStates[bytes.readUInt8(at + placeAt.state)] ?? "blocked",
    event: runEvents[bytes.readUInt8(at + placeAt.event)] ?? "push",
    actorId: bytes.readIntBE(at + placeAt.actor, 6),
    commitId: "",
    ref: "",
    workflow: "",
    jobs: [],
    createdAt: bytes.readUInt32BE(at + placeAt.created),
    version: bytes.readUInt32BE(at + placeAt.version),
  };
}

const layout: EntryLayout = {
  span: 1024,
  format: entryFormat,
  length: () => placeAt.end,
  versionAt: placeAt.version,
};

const runKind: EntryKind<RunEntry, RunFilter, "newest"> = {
  layout,
  encode,
  decode,
  matcher,
  ranking: () => ({ key: ({ id }) => id, isDescending: true, ties: "newest", isById: true }),
  needs: () => ({}),
};

const unfinished = ["waiting", "running", "blocked"] as const satisfies JobState[];

function matcher({
  states,
  events,
  actorId,
  commitId,
  refs,
  workflow,
  number,
  isUnfinished,
}: RunFilter): (row: Row) => boolean {
  const wantedStates = states && new Set(states.map((state) => jobStates.indexOf(state)));
  const wantedEvents = events && new Set(events.map((event) => runEvents.indexOf(event)));
  const has = (wanted: readonly Buffer[] | undefined, place: number) => {
    if (wanted === undefined) return () => true;
    return ({ bytes, at }: Row) =>
      wanted.some((one) => one.equals(bytes.subarray(at + place, at + place + digestBytes)));
  };
  const isOfCommit = has(commitId === undefined ? undefined : [digest(commitId)], placeAt.commit);
  const isOfRef = has(refs?.map(digest), placeAt.ref);
  const isOfWorkflow = has(workflow === undefined ? undefined : [digest(workflow)], placeAt.workflow);
  const unfinishedJobs = countJobsIn(unfinished);
  return (row) => {
    const { bytes, at } = row;
    if (number !== undefined && row.id !== number) return false;
    if (isUnfinished === true && unfinishedJobs(row) === 0) return false;
    if (wantedStates?.has(bytes.readUInt8(at + placeAt.state)) === false) return false;
    if (wantedEvents?.has(bytes.readUInt8(at + placeAt.event)) === false) return false;
    if (actorId !== undefined && bytes.readIntBE(at + placeAt.actor, 6) !== actorId) return false;
    return isOfCommit(row) && isOfRef(row) && isOfWorkflow(row);
  };
}

/** How many jobs of a run are in one of these states; of all of them without any. */
export function countJobsIn(states: readonly JobState[] = jobStates): (row: Row) => number {
  const places = states.map((state) => placeAt.counts + 2 * jobStates.indexOf(state));
  return ({ bytes, at }) => places.reduce((sum, place) => sum + bytes.readUInt16BE(at + place), 0);
}

/** More than a run has jobs. */
const rowsAtMost = 1_024;

/** When a run was made, and how many rows of a list it makes, in one number. */
export const timeAndRows =
  (rowsOf: (row: Row) => number) =>
  (row: Row): number =>
    row.bytes.readUInt32BE(row.at + placeAt.created) * rowsAtMost + rowsOf(row);
export const splitTimeAndRows = (key: number): { readonly createdAt: number; readonly rows: number } => ({
  createdAt: Math.floor(key / rowsAtMost),
  rows: key % rowsAtMost,
});
