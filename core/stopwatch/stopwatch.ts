import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { conflict, forbidden, isForgeError, missingRights } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { changeIssue, getIssue, type IssueChange } from "../issue/change/change.ts";
import { entriesFrom, entryIds } from "../issue/change/timeline.ts";
import { type Issue, issuePartition } from "../issue/issue.table.ts";
import { accessLoader, findPlacedIssues } from "../issue/placed-issues.ts";
import { isIssueWriter } from "../issue/rights.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import { isTracked, mayTrack } from "../tracked-time/rights.ts";
import { timeAdditionWrites, timeEntry, timeOn } from "../tracked-time/write.ts";
import {
  mirrorPrefix,
  type Stopwatch,
  type StopwatchMirror,
  stopwatchKey,
  stopwatchMirrorKey,
} from "./stopwatch.table.ts";

/**
 * Starts the caller's stopwatch on an issue or pull; one that runs on another issue is stopped first, and booked if the
 * caller could do that there themselves. NotFound as for the issue; Forbidden when the caller may not write it and
 * track time, and when their token does not reach the other issue; Conflict when it runs on this one already.
 */
export async function startStopwatch(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  const { id: userId } = actor.user;
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (issue) => {
    requireStopwatches(forge, access, actor, issue);
    const running = await findOf(forge, userId);
    if (running !== undefined && isOn(running, issue)) {
      throw conflict("your stopwatch runs on this issue already");
    }
    if (running !== undefined) await endOther(forge, running, actor);
    const at = nowSeconds(forge.clock);
    const place = { repositoryId: issue.repositoryId, issueNumber: issue.number };
    const stopwatch: Stopwatch = { ...stopwatchKey(userId), userId, ...place, startedAt: at, _v: 1 };
    const mirror: StopwatchMirror = { ...stopwatchMirrorKey(place, userId), userId, _v: 1 };
    const by = { authorId: userId, at, entryIds: drawIds };
    return {
      issue: { ...issue, updatedAt: at },
      entries: await entriesFrom(issue, [{ type: "start_tracking" }], by),
      events: [],
      writes: [put(stopwatch, absent), put(mirror)],
    };
  });
}

/** Stops the caller's stopwatch on an issue and books the time. As `startStopwatch`; Conflict when none runs there. */
export async function stopStopwatch(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  await changeIssue(
    forge,
    access,
    number,
    booking(forge, actor.user.id, async (issue) => {
      requireStopwatches(forge, access, actor, issue);
      return runningOn(forge, actor, issue);
    }),
  );
}

/** Ends the caller's stopwatch on an issue without booking anything. As `stopStopwatch`. */
export async function discardStopwatch(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (issue) => {
    requireStopwatches(forge, access, actor, issue);
    const running = await runningOn(forge, actor, issue);
    const at = nowSeconds(forge.clock);
    const by = { authorId: actor.user.id, at, entryIds: drawIds };
    return {
      issue: { ...issue, updatedAt: at },
      entries: await entriesFrom(issue, [{ type: "cancel_tracking" }], by),
      events: [],
      writes: endingWrites(running),
    };
  });
}

/** A stopwatch that runs, with its issue and its seconds so far. */
export interface RunningStopwatch {
  readonly stopwatch: Stopwatch;
  readonly seconds: number;
  readonly issue: Issue;
  readonly access: RepositoryAccess;
}

/** The caller's stopwatch; undefined when none runs, or when they may not read its issue any more. */
export async function findRunningStopwatches(
  forge: Forge,
  actor: Actor,
): Promise<RunningStopwatch | undefined> {
  const stopwatch = await findOf(forge, actor.user.id);
  if (stopwatch === undefined) return undefined;
  const address = { repositoryId: stopwatch.repositoryId, number: stopwatch.issueNumber };
  const [placed] = await findPlacedIssues(forge, accessLoader(forge, actor), [address]);
  const seconds = elapsed(stopwatch, nowSeconds(forge.clock));
  return placed === undefined ? undefined : { stopwatch, seconds, ...placed };
}

/** Ends all stopwatches on an issue that is hidden from everybody already, without booking. May be repeated. */
export async function forgetStopwatchesOfIssue(
  { table }: Forge,
  repositoryId: number,
  number: number,
): Promise<void> {
  const pk = issuePartition(repositoryId, number);
  const mirrors = await table.queryAll<StopwatchMirror>({ pk, prefix: mirrorPrefix });
  const place = { repositoryId, issueNumber: number };
  for (const { userId } of mirrors) await table.write(remove(stopwatchKey(userId), equals(place)));
  await table.removeAll(mirrors);
}

/** Ends the stopwatch of a deleted user, without booking anything. */
export async function forgetStopwatchesOfUser(forge: Forge, userId: number): Promise<void> {
  const running = await findOf(forge, userId);
  if (running !== undefined) await forge.table.transact(endingWrites(running));
}

const findOf = ({ table }: Forge, userId: number): Promise<Stopwatch | undefined> =>
  table.get<Stopwatch>(stopwatchKey(userId));

const isOn = ({ repositoryId, issueNumber }: Stopwatch, issue: Issue): boolean =>
  repositoryId === issue.repositoryId && issueNumber === issue.number;

const elapsed = ({ startedAt }: Stopwatch, now: number): number => Math.max(0, now - startedAt);

function requireStopwatches(forge: Forge, access: RepositoryAccess, actor: Actor, issue: Issue): void {
  if (!mayUse(forge, access, actor, issue)) {
    throw missingRights("only writers may use stopwatches, and only when time is tracked");
  }
}

const mayUse = (forge: Forge, access: RepositoryAccess, actor: Actor, issue: Issue): boolean =>
  isIssueWriter(access.rights, issue.kind) && isTracked(forge, access) && mayTrack(access, actor, issue);

async function runningOn(forge: Forge, actor: Actor, issue: Issue): Promise<Stopwatch> {
  const running = await findOf(forge, actor.user.id);
  if (running === undefined || !isOn(running, issue)) {
    throw conflict("no stopwatch of yours runs on this issue");
  }
  return running;
}

/** The writes that end a stopwatch, on the condition that it is the one that was read. */
function endingWrites(running: Stopwatch): Write[] {
  const { userId, repositoryId, issueNumber, startedAt } = running;
  return [
    remove(stopwatchKey(userId), equals({ repositoryId, issueNumber, startedAt })),
    remove(stopwatchMirrorKey(running, userId)),
  ];
}

/** The change of an issue on which a stopwatch is stopped and booked; none when `find` says that none runs. */
function booking(forge: Forge, userId: number, find: (issue: Issue) => Promise<Stopwatch | undefined>) {
  const drawIds = entryIds(forge);
  let id: number | undefined;
  return async (issue: Issue): Promise<IssueChange | undefined> => {
    const running = await find(issue);
    if (running === undefined) return undefined;
    id ??= await nextId(forge.table, "tracked-time");
    const at = nowSeconds(forge.clock);
    const time = timeOn(issue, { id, userId, seconds: elapsed(running, at), createdAt: at });
    const contents = [timeEntry("stop_tracking", time)];
    return {
      issue: { ...issue, updatedAt: at },
      entries: await entriesFrom(issue, contents, { authorId: userId, at, entryIds: drawIds }),
      events: [],
      writes: [...endingWrites(running), ...timeAdditionWrites(time)],
    };
  };
}

/**
 * Stops the stopwatch that runs on another issue. It books the time when its user may track time there now; an issue
 * that is gone, or closed to the user, takes no booking. Nothing changes in a repository that the user's token does not
 * reach.
 */
async function endOther(forge: Forge, running: Stopwatch, actor: Actor): Promise<void> {
  const access = await findAccessById(forge, { user: actor.user }, running.repositoryId);
  if (access !== undefined && isHiddenFromToken(actor, access)) {
    throw forbidden("a stopwatch of yours runs where your token does not reach: stop it first");
  }
  const issue = access === undefined ? undefined : await issueOf(forge, access, running);
  if (access === undefined || issue === undefined || !mayUse(forge, access, actor, issue)) {
    await forge.table.transact(endingWrites(running));
    return;
  }
  const plan = booking(forge, actor.user.id, async () => {
    const now = await findOf(forge, actor.user.id);
    return now !== undefined && isOn(now, issue) ? now : undefined;
  });
  await changeIssue(forge, access, issue.number, plan);
}

async function issueOf(
  forge: Forge,
  access: RepositoryAccess,
  { issueNumber }: Stopwatch,
): Promise<Issue | undefined> {
  try {
    return await getIssue(forge, access, issueNumber);
  } catch (error) {
    if (isForgeError(error, "not-found")) return undefined;
    throw error;
  }
}
