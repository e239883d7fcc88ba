import { nowSeconds } from "../../clock.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { defined } from "../../defined.ts";
import { send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import type { Job } from "../../jobs/job.table.ts";
import { type JobKind, startJob } from "../../jobs/job.ts";
import type { PartCursor } from "../../jobs/passes.ts";
import { forgetHiddenNotifications } from "../../notification/forget.ts";
import { cardVisibilityWrites } from "../../quota/card-usage.ts";
import {
  forgetHiddenStarsAndWatchesOfRepository,
  type StarOrWatchCursor,
} from "../../star-watch/star-watch.ts";
import { equals } from "../../table/condition.ts";
import { update, type Write } from "../../table/write.ts";
import { noteRepositoryActivity, repositoryDelta } from "../listing/index-writes.ts";
import {
  cardKey,
  cardPrefix,
  type ForkRow,
  forkKey,
  forksOf,
  ownerPartition,
  type Repository,
  type RepositoryCard,
  repositoryKey,
} from "../repository.table.ts";
import { findForkPrivacy, isPrivateAfter } from "./forks.ts";

const forksPerStep = 25;
const cardsPerStep = 25;

/** The result of one step: whether there were any forks, and whether more are left. */
interface Emptied {
  readonly hasFound: boolean;
  readonly hasMore: boolean;
}

/** Makes some forks of a repository that is being deleted independent. May be repeated. */
async function freeForks(forge: Forge, repositoryId: number): Promise<Emptied> {
  const page = await forge.table.query<ForkRow>({ ...forksOf(repositoryId), limit: forksPerStep });
  for (const { forkId } of page.items) {
    await changeFork(forge, repositoryId, forkId, async () => ({ set: { isFork: false } }));
  }
  await forge.table.removeAll(page.items);
  return { hasFound: page.items.length > 0, hasMore: page.next !== undefined };
}

/**
 * One step of the job that empties a deleted repository: like `freeForks`; lists learn the parent's new number of
 * forks.
 */
export async function emptyForks(forge: Forge, repositoryId: number): Promise<Emptied> {
  const emptied = await freeForks(forge, repositoryId);
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.parentId !== undefined) await noteRepositoryActivity(forge, repository.parentId);
  return emptied;
}

/**
 * Lets the first forks of a repository follow its deletion, or a change of its visibility, before the caller is
 * answered: they look at them next. The job comes to all of them, so a failure here is only logged.
 */
export async function followAtOnce(
  forge: Forge,
  repositoryId: number,
  change: "deletion" | "visibility",
): Promise<void> {
  try {
    if (change === "deletion") await freeForks(forge, repositoryId);
    else await followVisibility.step(forge, { repositoryId }, undefined);
  } catch (error) {
    forge.log.warn("repository:forks-follow-later", { repositoryId, error });
  }
}

/** The job that makes forks as visible as their parent has become. */
export interface FollowingArguments {
  readonly repositoryId: number;
}

/** Forks come first, then stars and watches, then notifications. */
interface FollowingCursor {
  readonly after?: string;
  readonly starsAndWatches?: StarOrWatchCursor;
  /** Where the walk over what users were told goes on; empty at its beginning. */
  readonly told?: PartCursor;
}

/**
 * Gives forks the visibility that follows from their parent (`hasPrivateForks`, semantics §5). Each fork that changes
 * gets a job of its own for its forks. For a repository that has become private, it ends the stars and watches of users
 * who may not see it any more, and removes what they were told of it. May be repeated.
 */
export const followVisibility: JobKind<FollowingArguments, FollowingCursor> = {
  async step(forge, { repositoryId }, cursor) {
    const parent = await forge.table.get<Repository>(repositoryKey(repositoryId));
    const privacy = await findForkPrivacy(forge, repositoryId);
    if (parent === undefined || privacy === undefined) return { done: true };
    if (cursor?.starsAndWatches !== undefined) {
      const next = parent.isPrivate
        ? await forgetHiddenStarsAndWatchesOfRepository(forge, repositoryId, cursor.starsAndWatches)
        : undefined;
      if (next !== undefined) return { cursor: { starsAndWatches: next } };
      return parent.isPrivate ? { cursor: { told: "" } } : { done: true };
    }
    if (cursor?.told !== undefined) {
      const { hasMore, inner = "" } = await forgetHiddenNotifications(
        forge,
        repositoryId,
        cursor.told || undefined,
      );
      return hasMore ? { cursor: { told: inner } } : { done: true };
    }
    const page = await forge.table.query<ForkRow>({
      ...forksOf(repositoryId),
      limit: forksPerStep,
      ...defined({ after: cursor?.after }),
    });
    for (const { forkId } of page.items) {
      await changeFork(forge, repositoryId, forkId, (fork) => followedPrivacy(forge, repositoryId, fork));
    }
    return { cursor: page.next === undefined ? { starsAndWatches: { kind: "star" } } : { after: page.next } };
  },
};

/** The job that lets the forks of an owner's repositories follow a change of the owner's visibility. */
export interface OwnerFollowingArguments {
  readonly ownerId: number;
}

/** Starts `followVisibility` for each repository of an owner that has forks (`hasPrivateForks`). May be repeated. */
export const followOwner: JobKind<OwnerFollowingArguments, { readonly after: string }> = {
  async step(forge, { ownerId }, cursor) {
    const cards = { pk: ownerPartition(ownerId), prefix: cardPrefix, limit: cardsPerStep };
    const page = await forge.table.query<RepositoryCard>({ ...cards, ...cursor });
    const jobs = await Promise.all(
      page.items.map(async ({ repositoryId }) => {
        const forks = await forge.table.query({ ...forksOf(repositoryId), limit: 1 });
        return forks.items.length === 0 ? [] : [startJob(forge, "follow-visibility", { repositoryId })];
      }),
    );
    for (const { write } of jobs.flat()) await forge.table.write(write);
    await send(
      forge,
      jobs.flat().map(({ message }) => message),
    );
    return page.next === undefined ? { done: true } : { cursor: { after: page.next } };
  },
};

/** Whether one of these jobs will still come to this fork, to make it as visible as its parent. */
export function isToFollow(jobs: readonly Job[], parent: Repository, forkId: number): boolean {
  const [row, card] = [forkKey(parent.id, forkId), cardKey(parent.ownerId, parent.id)];
  return jobs.some((job) => {
    const { repositoryId, ownerId } = job.arguments as Partial<FollowingArguments & OwnerFollowingArguments>;
    const { after = "", starsAndWatches: isPast }: FollowingCursor = job.cursor ?? {};
    if (job.kind === "follow-visibility")
      return repositoryId === parent.id && isPast === undefined && after < row.sk;
    return job.kind === "follow-owner" && ownerId === parent.ownerId && after < card.sk;
  });
}

/** Makes a public fork of a hidden parent private, like the job; false when that is not needed any more. */
export async function hideFork(forge: Forge, parentId: number, forkId: number): Promise<boolean> {
  return changeFork(forge, parentId, forkId, async (fork) => {
    const change = await followedPrivacy(forge, parentId, fork);
    return change?.set.isPrivate === true ? change : undefined;
  });
}

const mostAttempts = 10;

interface ForkChange {
  readonly set: Partial<Pick<Repository, "isFork" | "isPrivate">>;
  /** Conditions of the transaction. */
  readonly when?: readonly Write[];
}

/** The change of a fork's visibility, if any, given its parent's present state. */
async function followedPrivacy(
  forge: Forge,
  parentId: number,
  fork: Repository,
): Promise<ForkChange | undefined> {
  const privacy = await findForkPrivacy(forge, parentId);
  if (privacy === undefined) return undefined;
  const isPrivate = isPrivateAfter(forge, fork, privacy);
  return isPrivate === fork.isPrivate ? undefined : { set: { isPrivate }, when: privacy.stays };
}

/**
 * Changes a fork and answers whether it did; `undefined` leaves it as it is. A fork that has become independent has no
 * parent.
 */
async function changeFork(
  forge: Forge,
  parentId: number,
  forkId: number,
  changeOf: (current: Repository) => Promise<ForkChange | undefined>,
): Promise<boolean> {
  for await (const _attempt of attempts(mostAttempts)) {
    const current = await forge.table.get<Repository>(repositoryKey(forkId));
    if (current?.state !== "live" || current.parentId !== parentId) return false;
    const change = await changeOf(current);
    if (change === undefined) return false;
    const { set: changes, when = [] } = change;
    const { v } = current;
    const set = { ...changes, updatedAt: nowSeconds(forge.clock), v: v + 1 };
    const isVisible = changes.isPrivate !== undefined;
    const following = isVisible ? startJob(forge, "follow-visibility", { repositoryId: forkId }) : undefined;
    const { committed } = await forge.table.transact([
      update(
        repositoryKey(forkId),
        { set, ...(changes.isFork === false ? { unset: ["parentId"] } : {}) },
        equals({ v, state: "live" }),
      ),
      repositoryDelta({ ...current, ...set }),
      ...(changes.isPrivate === undefined
        ? []
        : await cardVisibilityWrites(forge, current, { isPrivate: changes.isPrivate })),
      ...(following === undefined ? [] : [following.write]),
      ...when,
    ]);
    if (!committed) continue;
    if (following !== undefined) await send(forge, [following.message]);
    return true;
  }
  throw new Error(`fork ${forkId} is being changed by others`);
}
