import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { durationText } from "../duration.ts";
import { forbidden, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { changeIssue } from "../issue/change/change.ts";
import { entriesFrom, entryIds } from "../issue/change/timeline.ts";
import type { Issue } from "../issue/issue.table.ts";
import { getUserByName } from "../user/find.ts";
import { requireTracking, requireTrackingOn } from "./rights.ts";
import { type TrackedTime, timeKey, timePrefix } from "./tracked-time.table.ts";
import { removalWrites, timeAdditionWrites, timeEntry, timeOn } from "./write.ts";

/** Time to be booked. */
export interface NewTime {
  readonly seconds: number;
  /** When it was spent, whole seconds; now when absent. */
  readonly createdAt?: number;
  /** Its user; ignored unless the caller is an administrator. */
  readonly userName?: string;
}

/** A time, with its issue after the change. */
export interface BookedTime {
  readonly time: TrackedTime;
  readonly issue: Issue;
}

/** A human life, about: longer ones are slips. */
const mostSeconds = 100 * 365 * 86_400;

/**
 * Books time on an issue or pull. NotFound as for the issue, and for a missing user; Bad request when no time is
 * tracked; Forbidden when the user may not track their time, or when the repository's owner or the issue's author
 * blocks them; 422 for no time at all.
 */
export async function addTime(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  given: NewTime,
  actor: Actor,
): Promise<BookedTime> {
  let time: TrackedTime | undefined;
  const drawIds = entryIds(forge);
  let id: number | undefined;
  const { issue } = await changeIssue(forge, access, number, async (before) => {
    requireTracking(forge, access, actor, before);
    await requireUnblocked(forge, access, actor, before.authorId);
    requireTime(given);
    const userId = await spenderOf(forge, access, given, actor);
    id ??= await nextId(forge.table, "tracked-time");
    const at = nowSeconds(forge.clock);
    time = timeOn(before, { id, userId, seconds: given.seconds, createdAt: given.createdAt ?? at });
    const contents = [timeEntry("add_time_manual", time)];
    return {
      issue: { ...before, updatedAt: at },
      entries: await entriesFrom(before, contents, { authorId: actor.user.id, at, entryIds: drawIds }),
      events: [],
      writes: timeAdditionWrites(time),
    };
  });
  return { time: time as TrackedTime, issue };
}

function requireTime({ seconds, createdAt = 0 }: NewTime): void {
  if (seconds === 0) throw invalid("Time", "Required");
  if (Math.abs(seconds) > mostSeconds) throw invalid("Time", `MaxSize ${mostSeconds}`);
  if (createdAt < 0) throw invalid("Created", "expected a time from 1970 on");
}

async function spenderOf(
  forge: Forge,
  { rights }: RepositoryAccess,
  { userName }: NewTime,
  actor: Actor,
): Promise<number> {
  const isForOther = userName !== undefined && (isRepositoryAdmin(rights) || actor.user.isAdmin);
  return isForOther ? (await getUserByName(forge, actor, userName)).id : actor.user.id;
}

/**
 * Removes one time. Its user may, even when they may not track time any more, and site administrators (Forbidden for
 * others). When the issue has no time of this id, NotFound, but Forbidden for callers who may not track on it.
 * BadRequest when time tracking is off.
 */
export async function removeTime(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  id: number,
  actor: Actor,
): Promise<void> {
  await removeTimes(forge, access, number, actor, async (issue) => {
    const time = await forge.table.get<TrackedTime>(timeKey(issue.repositoryId, number, id));
    if (time === undefined) {
      requireTracking(forge, access, actor, issue);
      throw notFound(`tracked time does not exist [id: ${id}]`);
    }
    if (time.userId !== actor.user.id && !actor.user.isAdmin) {
      throw forbidden("only the user of the time may remove it");
    }
    return [time];
  });
}

/** How many times one transaction takes beside the issue: each is three items. */
const mostAtOnce = 25;

/**
 * Removes all of the caller's times on an issue, 25 in each transaction, each with an entry in the timeline. When there
 * is none, NotFound, but Forbidden for callers who may not track on it. BadRequest as in `addTime`.
 */
export async function resetTimes(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  let left = 1;
  for (let isFirst = true; left > 0; isFirst = false) {
    await removeTimes(forge, access, number, actor, async (issue) => {
      const own = (await timesOfIssue(forge, issue)).filter(({ userId }) => userId === actor.user.id);
      if (own.length === 0 && isFirst) {
        requireTracking(forge, access, actor, issue);
        throw notFound("you have tracked no time on this issue");
      }
      left = own.length - mostAtOnce;
      return own.slice(0, mostAtOnce);
    });
  }
}

/** Every time of an issue. */
export const timesOfIssue = ({ table }: Forge, { pk }: Pick<Issue, "pk">): Promise<TrackedTime[]> =>
  table.queryAll<TrackedTime>({ pk, prefix: timePrefix });

async function removeTimes(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
  find: (issue: Issue) => Promise<TrackedTime[]>,
): Promise<void> {
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (before) => {
    requireTrackingOn(forge, access);
    const times = await find(before);
    const [first] = times;
    if (first === undefined) return undefined;
    const at = nowSeconds(forge.clock);
    const content = timeEntry("delete_time_manual", first);
    const seconds = times.reduce((sum, time) => sum + time.seconds, 0);
    const { time: _several, ...sum } = { ...content, body: durationText(seconds) };
    const by = { authorId: actor.user.id, at, entryIds: drawIds };
    return {
      issue: { ...before, updatedAt: at },
      entries: await entriesFrom(before, [times.length === 1 ? content : sum], by),
      events: [],
      writes: times.flatMap(removalWrites),
    };
  });
}
