import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { isCodeEmpty, openCode } from "../code/open.ts";
import { defined } from "../defined.ts";
import { conflict, type ForgeError, invalid, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextReleaseNumber } from "../ids.ts";
import type { Repository } from "../repository/repository.table.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, put } from "../table/write.ts";
import { tagProblem } from "../tag/tag.ts";
import { bodyProblem, titleProblem } from "../text.ts";
import { publish } from "./publish.ts";
import { releaseDelta } from "./release.index.ts";
import {
  isReleasable,
  longestTagName,
  numbersPerRepository,
  type Release,
  type ReleaseTag,
  releaseId,
  releaseKey,
  releaseTagKey,
} from "./release.table.ts";
import { type ReleaseChange, ReleaseEvents, takeTag, untilWritten } from "./write.ts";

/** The members of a release as callers give them, unchecked. */
export interface NewRelease {
  readonly tagName: string;
  /** A branch, tag or commit, for a tag that is not there yet; the default branch when absent. */
  readonly target?: string;
  readonly title?: string;
  readonly body?: string;
  readonly isDraft?: boolean;
  readonly isPrerelease?: boolean;
  readonly hidesArchiveLinks?: boolean;
  /** With a message a new tag is an annotated one. */
  readonly tagMessage?: string;
}

const longestTarget = 255;

/** Why a release may not have these texts, or undefined when it may (D-TEXT). */
export function releaseProblem({
  tagName,
  target = "",
  title = "",
  body = "",
  tagMessage = "",
}: Partial<NewRelease>): ForgeError | undefined {
  if (target.length > longestTarget) return invalid("Target", `MaxSize ${longestTarget}`);
  if (tagName !== undefined && !isReleasable(tagName)) {
    return invalid("TagName", `a text of at most ${longestTagName} characters is expected`);
  }
  return (
    (tagName === undefined ? undefined : tagProblem({ name: tagName, message: tagMessage })) ??
    (title.trim() === "" ? undefined : titleProblem("Title", title)) ??
    bodyProblem("Note", body)
  );
}

/**
 * Makes a release. A published one has its tag, which is made when it is missing; a draft needs none. 404 for an unknown
 * target of a new tag; 409 when another release has the tag; 422 in an empty repository, for texts and names that are
 * not valid, and for a tag that a rule protects.
 */
export async function createRelease(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  given: NewRelease,
): Promise<Release> {
  const problem = releaseProblem(given);
  if (problem !== undefined) throw problem;
  const { isDraft = false, tagMessage: message } = given;
  const events = new ReleaseEvents(forge, actor);
  let made: Release | undefined;
  const plan = async (createdAt: number): Promise<ReleaseChange> => {
    await requireFreeTag(forge, repository.id, given.tagName);
    made ??= await newRelease(forge, repository, actor, given);
    return creation({ ...made, createdAt }, events);
  };
  return untilWritten(forge, repository, async (write) => {
    if (!isDraft) {
      const release = { tagName: given.tagName, target: given.target ?? "" };
      const published = (tag: { readonly taggedAt: number }) => plan(tag.taggedAt);
      return publish(forge, repository, actor, { release, plan: published, ...defined({ message }) }, write);
    }
    if (isCodeEmpty(await openCode(forge, repository.id))) throw unprocessable("the repository is empty");
    const change = await plan(nowSeconds(forge.clock));
    const isLive = check(repositoryKey(repository.id), equals({ state: "live" }));
    return (await write({ ...change, writes: [...change.writes, isLive] })) ? change.release : undefined;
  });
}

/** Conflict when a release has the tag, in any case. */
export async function requireFreeTag({ table }: Forge, repositoryId: number, tagName: string): Promise<void> {
  const guard = await table.get<ReleaseTag>(releaseTagKey(repositoryId, tagName));
  if (guard !== undefined) throw conflict(`a release is on this tag already [tag: ${guard.tagName}]`);
}

async function newRelease(
  { table }: Forge,
  { id: repositoryId, defaultBranch }: Repository,
  { user }: Actor,
  given: NewRelease,
): Promise<Release> {
  const number = await nextReleaseNumber(table, repositoryId);
  if (number >= numbersPerRepository) {
    throw unprocessable(`a repository takes at most ${numbersPerRepository - 1} releases`);
  }
  return {
    ...releaseKey(repositoryId, number),
    ...{ id: releaseId(repositoryId, number), repositoryId, number },
    tagName: given.tagName,
    target: given.target || defaultBranch,
    title: given.title ?? "",
    body: given.body ?? "",
    isDraft: given.isDraft ?? false,
    isPrerelease: given.isPrerelease ?? false,
    hidesArchiveLinks: given.hidesArchiveLinks ?? false,
    authorId: user.id,
    ...{ createdAt: 0, assets: 0, assetBytes: 0, assetChanges: 0, v: 1, _v: 1 },
  };
}

function creation(release: Release, events: ReleaseEvents): ReleaseChange {
  const writes = [put(release, absent), takeTag(release), releaseDelta(release)];
  if (release.isDraft) return { release, published: 0, writes, events: [] };
  return { release, published: 1, writes, events: [events.of(release, "published")] };
}
