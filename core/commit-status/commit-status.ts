import type { Actor } from "../actor.ts";
import { attempts } from "../attempts.ts";
import { nowSeconds } from "../clock.ts";
import { conflict, type ForgeError, invalid, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { repositoryEvent } from "../hook/events.ts";
import { outbox, send } from "../outbox.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { absent, equals } from "../table/condition.ts";
import { keyText, put } from "../table/write.ts";
import { bodyProblem, isWebUrl } from "../text.ts";
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

/** Reports on a commit, newest first unless asked otherwise. */
export async function listCommitStatuses(
  forge: Forge,
  repositoryId: number,
  commitId: ObjectId,
  { order = "highestindex", state }: { order?: StatusOrder; state?: StatusState } = {},
): Promise<CommitStatus[]> {
  const rows = await forge.table.queryAll<CommitStatus>({
    pk: statusPartition(repositoryId),
    prefix: `${commitId}#`,
    reverse: !rising.includes(order),
  });
  const head = keyText(statusHeadKey(repositoryId, commitId));
  return rows.filter((row) => keyText(row) !== head && (state === undefined || row.state === state));
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
  const keys = shown.map((index) => statusKey(repositoryId, commitId, index));
  const rows = await forge.table.getAll<CommitStatus>(keys);
  const statuses = keys.flatMap((key) => rows.get(keyText(key)) ?? []);
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
