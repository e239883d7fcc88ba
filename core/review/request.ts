import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { forbidden, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextIds } from "../ids.ts";
import { type EntryContent, type EntryIds, entriesFrom, entryIds } from "../issue/change/timeline.ts";
import { lazy } from "../lazy.ts";
import { followHead } from "../pull/follow/follow-head.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { getPull } from "../pull/pull.ts";
import type { Team } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import { changeReviews, type ReviewsChange, requireReviewable, requireRoom, reviewEvent } from "./change.ts";
import { isOfficialReviewer, isOfficialTeam, ruleOfBase } from "./official.ts";
import { isVerdict, newReview, type Review } from "./review.table.ts";
import { findReviewers, mayChooseReviewers, type NamedReviewers, requireReviewers } from "./reviewers.ts";
import { reviewingOf } from "./reviewing.ts";
import { lossesOf } from "./submit.ts";

/** Users and teams of one call, and those that one request asks at a time: one review may answer all of the teams. */
const most = { atOnce: 15, asked: 50, teams: 14 };

/** Somebody who may be asked, and whether the rule counts them. */
export type Asked =
  | { readonly user: User; readonly team?: undefined; readonly isOfficial: boolean }
  | { readonly team: Team; readonly user?: undefined; readonly isOfficial: boolean };

/**
 * Asks users, by name or e-mail address, and teams for a review (semantics §47); those who are asked already are
 * skipped. Answers the new requests. NotFound for unknown ones; 422 when the caller may not choose, or one may not be
 * asked; Forbidden for users who reviewed the request when it is closed.
 */
export async function requestReviews(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  named: NamedReviewers,
  actor: Actor,
): Promise<{ readonly pull: PullRequest; readonly reviews: readonly Review[] }> {
  const pull = await followHead(forge, await getPull(forge, access, number));
  const found = await findReviewers(forge, access, actor, named);
  if (found.users.length + found.teams.length > most.atOnce) {
    throw unprocessable(`at most ${most.atOnce} reviewers can be asked at once`);
  }
  if (!(await mayChooseReviewers(forge, access, pull, actor))) {
    throw unprocessable("you may not choose the reviewers of this pull request");
  }
  await requireReviewable(forge, access, pull, actor);
  await requireReviewers(forge, access, pull, found);
  const asked = await askedOf(forge, access, pull, found);
  return { pull, reviews: await askAll(forge, access, number, asked, actor) };
}

/** The same people, with what the rule of the base says of them. */
export async function askedOf(
  forge: Forge,
  { repository }: Pick<RepositoryAccess, "repository">,
  pull: PullRequest,
  { users, teams }: { readonly users: readonly User[]; readonly teams: readonly Team[] },
): Promise<Asked[]> {
  const rule = await ruleOfBase(forge, pull);
  const asked = users.map(async (user) => ({
    user,
    isOfficial: await isOfficialReviewer(forge, repository, user, rule),
  }));
  const teamsAsked = teams.map((team) => ({ team, isOfficial: isOfficialTeam(repository, team, rule) }));
  return [...(await Promise.all(asked)), ...teamsAsked];
}

/** Writes the requests for those who are not asked yet; nobody's rights are looked at. */
export async function askAll(
  forge: Forge,
  access: Pick<RepositoryAccess, "repository" | "rights">,
  number: number,
  asked: readonly Asked[],
  actor: Actor,
): Promise<readonly Review[]> {
  const drawIds = entryIds(forge);
  const drawReviewIds = lazy(() => nextIds(forge.table, "review", asked.length));
  let written: readonly Review[] = [];
  await changeReviews(forge, access, number, async (pull, reviews) => {
    const fresh = asked.filter((one) => !isAsked(reviews, one));
    written = [];
    if (fresh.length === 0) return undefined;
    requireRoom(reviews, fresh.length);
    const { userIds, teamIds } = reviewingOf(pull);
    if (userIds.length + teamIds.length + fresh.length > most.asked) {
      throw unprocessable(`at most ${most.asked} reviewers can be asked`);
    }
    if (teamIds.length + fresh.filter(({ team }) => team !== undefined).length > most.teams) {
      throw unprocessable(`at most ${most.teams} teams can be asked`);
    }
    if (pull.isClosed && fresh.some(({ user }) => user !== undefined && hasReviewed(reviews, user.id))) {
      throw forbidden("the pull request is closed, and they have reviewed it");
    }
    const planned = await planRequests(forge, pull, reviews, {
      ...{ asked: fresh, actor, entryIds: drawIds, reviewIds: await drawReviewIds() },
    });
    written = planned.written;
    return planned.change;
  });
  return written;
}

const isFor = ({ state, reviewerId, teamId }: Review, { user, team }: Pick<Asked, "user" | "team">) =>
  state === "requested" &&
  (team === undefined ? teamId === undefined && reviewerId === user?.id : teamId === team.id);

const isAsked = (reviews: readonly Review[], one: Asked) => reviews.some((review) => isFor(review, one));

const hasReviewed = (reviews: readonly Review[], userId: number) =>
  reviews.some((one) => one.reviewerId === userId && isVerdict(one));

interface Planning {
  readonly asked: readonly Asked[];
  readonly actor: Actor;
  readonly entryIds: EntryIds;
  readonly reviewIds: readonly number[];
}

async function planRequests(
  forge: Forge,
  pull: PullRequest,
  reviews: readonly Review[],
  { asked, actor, entryIds: drawIds, reviewIds }: Planning,
): Promise<{ readonly change: ReviewsChange; readonly written: readonly Review[] }> {
  const at = nowSeconds(forge.clock);
  const ids = await drawIds(asked.length);
  const written = asked.map(({ user, team, isOfficial }, place) =>
    newReview(pull, {
      ...{ id: reviewIds[place] as number, state: "requested", commitId: "", createdAt: at },
      ...{ reviewerId: user?.id ?? 0, isOfficial, entryId: ids[place] as number },
      ...(team === undefined ? {} : { teamId: team.id }),
    }),
  );
  const contents = asked.map((one, place) => ({ ...toldOf(one), reviewId: written[place]?.id as number }));
  const losses = written.flatMap(({ isOfficial, reviewerId, id }) =>
    isOfficial && reviewerId !== 0 ? lossesOf(reviews, reviewerId, id) : [],
  );
  return {
    written,
    change: {
      issue: { ...pull, updatedAt: at },
      entries: await entriesFrom(pull, contents, { authorId: actor.user.id, at, entryIds: drawIds }),
      events: written.map((one) => reviewEvent(forge, one, actor, "requested")),
      reviews: [...written, ...losses],
    },
  };
}

const toldOf = ({ user, team }: Pick<Asked, "user" | "team">) =>
  ({
    type: "review_request",
    ...(team === undefined ? { assigneeId: user?.id as number } : { teamId: team.id }),
  }) as const;

/**
 * Takes requests for reviews back (semantics §47); those who are not asked are skipped. Callers who may choose
 * reviewers may do it, and asked users for themselves: 422 for others. NotFound for unknown ones.
 */
export async function withdrawRequests(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  named: NamedReviewers,
  actor: Actor,
): Promise<void> {
  const pull = await getPull(forge, access, number);
  const { users, teams } = await findReviewers(forge, access, actor, named);
  const isOwn = teams.length === 0 && users.every(({ id }) => id === actor.user.id);
  if (!isOwn && !(await mayChooseReviewers(forge, access, pull, actor))) {
    throw unprocessable("you may not choose the reviewers of this pull request");
  }
  const meant = [...users.map((user) => ({ user })), ...teams.map((team) => ({ team }))];
  if (meant.length > most.atOnce) throw unprocessable(`at most ${most.atOnce} reviewers at once`);
  const drawIds = entryIds(forge);
  await changeReviews(forge, access, number, async (now, reviews) => {
    const found = reviews.filter((review) => meant.some((one) => isFor(review, one as Asked)));
    return found.length === 0
      ? undefined
      : planWithdrawal(forge, now, reviews, found, { actor, entryIds: drawIds });
  });
}

async function planWithdrawal(
  forge: Forge,
  pull: PullRequest,
  reviews: readonly Review[],
  found: readonly Review[],
  { actor, entryIds: drawIds }: Pick<Planning, "actor" | "entryIds">,
): Promise<ReviewsChange> {
  const at = nowSeconds(forge.clock);
  const contents = found.map(({ id, reviewerId, teamId }): EntryContent => {
    const who = teamId === undefined ? { assigneeId: reviewerId } : { teamId };
    return { type: "review_request", isRemoval: true, reviewId: id, ...who };
  });
  return {
    issue: { ...pull, updatedAt: at },
    entries: await entriesFrom(pull, contents, { authorId: actor.user.id, at, entryIds: drawIds }),
    events: found.map((one) => reviewEvent(forge, one, actor, "request_removed")),
    ...{ removed: found, reviews: found.flatMap((one) => countingAgain(reviews, one)) },
  };
}

/** The last verdict of a reviewer whose verdicts count, and who is no longer asked, counts again. */
function countingAgain(reviews: readonly Review[], { isOfficial, reviewerId }: Review): Review[] {
  const last = reviews.findLast((one) => one.reviewerId === reviewerId && isVerdict(one));
  return isOfficial && reviewerId !== 0 && last !== undefined ? [{ ...last, isOfficial: true }] : [];
}
