import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, type ForgeError, invalid, unprocessable } from "../errors.ts";
import { outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { repositoryEvent } from "../hook/events.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { absent, equals } from "../table/condition.ts";
import { queryPages } from "../table/query-pages.ts";
import { keyText, put } from "../table/write.ts";
import type { Query } from "../table.ts";
import { bodyProblem, isWebUrl, mostBodyBytes } from "../text.ts";
import {
  type CommitStatus,
  type NewestStatus,
  type StatusHead,
  type StatusState,
  statusHeadKey,
  statusKey,
  statusPartition,
  statusStates,
} from "./commit-status.table.ts";

/** The report of a check. */
export interface NewStatus {
  readonly state: StatusState;
  readonly context: string;
  readonly targetUrl: string;
  readonly description: string;
}

/** The worst of the newest report of each context, and those reports; no state when there are none. */
export interface CombinedStatus {
  readonly state: StatusState | undefined;
  readonly statuses: readonly CommitStatus[];
  readonly total: number;
}

const most = { contexts: 200, statuses: 1_000, context: 255, targetUrl: 2_048 };
const mostAttempts = 10;

function problemOf({ context, targetUrl, description }: NewStatus): ForgeError | undefined {
  if (context.length > most.context) return invalid("Context", `MaxSize ${most.context}`);
  if (targetUrl.length > most.targetUrl) return invalid("TargetURL", `MaxSize ${most.targetUrl}`);
  if (targetUrl !== "" && !isWebUrl(targetUrl)) {
    return invalid("TargetURL", "Url: expected a URL that starts with http:// or https://");
  }
  return bodyProblem("Description", description);
}

/** Adds a report on an existing commit. 422 over a bound: 1,000 reports and 200 contexts of one commit. */
export async function createCommitStatus(
  forge: Forge,
  repositoryId: number,
  commitId: ObjectId,
  actor: Actor,
  given: NewStatus,
): Promise<CommitStatus> {
  const problem = problemOf(given);
  if (problem !== undefined) throw problem;
  for await (const _attempt of attempts(mostAttempts)) {
    const head = await readHead(forge, repositoryId, commitId);
    const index = (head?.last ?? 0) + 1;
    const status: CommitStatus = {
      ...statusKey(repositoryId, commitId, index),
      ...{ commitId, index, ...given },
      creatorId: actor.user.id,
      createdAt: nowSeconds(forge.clock),
      _v: 1,
    };
    if (await write(forge, repositoryId, head, status)) return status;
  }
  throw conflict("others report on this commit all the time: try again");
}

async function write(
  forge: Forge,
  repositoryId: number,
  head: StatusHead | undefined,
  status: CommitStatus,
): Promise<boolean> {
  const { commitId, index, context, state, creatorId } = status;
  const newest = [
    ...(head?.newest ?? []).filter((one) => one.context !== context),
    { context, index, state },
  ];
  if (index > most.statuses) throw unprocessable(`a commit takes at most ${most.statuses} reports`);
  if (newest.length > most.contexts) {
    throw unprocessable(`a commit takes reports of at most ${most.contexts} contexts`);
  }
  const event = outbox(
    forge,
    "repository-events",
    repositoryEvent({ kind: "status", repositoryId, actorId: creatorId, at: forge.clock.now(), commitId }),
  );
  const next: StatusHead = { ...statusHeadKey(repositoryId, commitId), last: index, newest, _v: 1 };
  const outcome = await forge.table.transact([
    put(next, head === undefined ? absent : equals({ last: head.last })),
    put(status, absent),
    event.write,
  ]);
  if (outcome.committed) await send(forge, [event]);
  return outcome.committed;
}

const readHead = (forge: Forge, repositoryId: number, commitId: ObjectId): Promise<StatusHead | undefined> =>
  forge.table.get<StatusHead>(statusHeadKey(repositoryId, commitId));

/** The orders of reports. They are never edited, so the order of indexes is that of time. */
export const statusOrders = ["oldest", "recentupdate", "leastupdate", "leastindex", "highestindex"] as const;
export type StatusOrder = (typeof statusOrders)[number];
const rising: readonly StatusOrder[] = ["oldest", "leastupdate", "leastindex"];

/** What a report takes while it is read and shown: its longest text, as in pages of issues. */
const shownStatusBytes = 3 * mostBodyBytes;

/** Which reports of a commit are wanted, and in which order: newest first unless asked otherwise. */
export interface StatusQuery {
  readonly order?: StatusOrder;
  readonly state?: StatusState;
}

/** A page of the reports on a commit. */
export async function listCommitStatuses(
  forge: Forge,
  repositoryId: number,
  commitId: ObjectId,
  { order = "highestindex", state }: StatusQuery,
  page: PageRequest,
): Promise<{ readonly items: readonly CommitStatus[]; readonly total: number }> {
  const { last = 0 } = (await readHead(forge, repositoryId, commitId)) ?? {};
  const isRising = rising.includes(order);
  if (state !== undefined) {
    await forge.reserve(Math.min(page.limit, last) * shownStatusBytes);
    return pageOfState(forge, statusRun(repositoryId, commitId, isRising), state, page);
  }
  const indexes = Array.from({ length: last }, (_, at) => (isRising ? at + 1 : last - at));
  return { items: await readStatuses(forge, repositoryId, commitId, rowsOfPage(indexes, page)), total: last };
}

const statusRun = (repositoryId: number, commitId: ObjectId, isRising: boolean): Query => ({
  pk: statusPartition(repositoryId),
  from: statusKey(repositoryId, commitId, 1).sk,
  to: statusKey(repositoryId, commitId, most.statuses).sk,
  reverse: !isRising,
});

/** Only the reports of the page are kept while all of them are looked at. */
async function pageOfState({ table }: Forge, run: Query, state: StatusState, { page, limit }: PageRequest) {
  const items: CommitStatus[] = [];
  let total = 0;
  for await (const rows of queryPages<CommitStatus>(table, run)) {
    for (const row of rows) {
      if (row.state !== state) continue;
      if (total >= (page - 1) * limit && items.length < limit) items.push(row);
      total += 1;
    }
  }
  return { items, total };
}

/** Reports by their indexes, in this order. */
async function readStatuses(
  forge: Forge,
  repositoryId: number,
  commitId: ObjectId,
  indexes: readonly number[],
): Promise<CommitStatus[]> {
  await forge.reserve(indexes.length * shownStatusBytes);
  const keys = indexes.map((index) => statusKey(repositoryId, commitId, index));
  const rows = await forge.table.getAll<CommitStatus>(keys);
  return keys.flatMap((key) => rows.get(keyText(key)) ?? []);
}

/** The combined state of all checks on a commit (semantics §23), with a page of their newest reports, newest first. */
export async function combineCommitStatuses(
  forge: Forge,
  repositoryId: number,
  commitId: ObjectId,
  page: PageRequest,
): Promise<CombinedStatus> {
  const { newest = [] } = (await readHead(forge, repositoryId, commitId)) ?? {};
  const indexes = newest.map(({ index }) => index).sort((one, other) => other - one);
  const shown = rowsOfPage(indexes, page);
  const statuses = await readStatuses(forge, repositoryId, commitId, shown);
  return { state: worst(newest.map(({ state }) => state)), statuses, total: indexes.length };
}

/** The newest report of each context on a commit. */
export const newestStatuses = async (
  forge: Forge,
  repositoryId: number,
  commitId: ObjectId,
): Promise<readonly NewestStatus[]> => (await readHead(forge, repositoryId, commitId))?.newest ?? [];

/** The worst of some states, an error shown as a failure; undefined when there are none. */
export function worst(states: readonly StatusState[]): StatusState | undefined {
  const found = statusStates.find((state) => states.includes(state));
  return found === "error" ? "failure" : found;
}
