import { accessMode, modeOf } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import { notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId, nextIssueNumber } from "../ids.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { followIssueChange, type IssueChange, writesOfIssueChange } from "../issue/change/change.ts";
import { entryIds } from "../issue/change/timeline.ts";
import { issueTextProblem } from "../issue/edit.ts";
import { addIssueLabels } from "../issue/labels/labels.ts";
import {
  bareIssue,
  type NewIssue,
  noWriterParts,
  planNewIssue,
  type WriterParts,
  writerPartsOf,
} from "../issue/new-issue.ts";
import { isIssueWriter } from "../issue/rights.ts";
import { findMilestone } from "../milestone/milestone.ts";
import { absent } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { isDraftTitle } from "./draft.ts";
import { findNamedBranch } from "./head/head-branch.ts";
import { keepPullHead } from "./head/keep-head.ts";
import type { BranchPair, PullPart, PullRequest } from "./pull.table.ts";
import { getPull } from "./pull.ts";
import { openPullSides, type PullSides } from "./sides.ts";
import { requireNoOther } from "./state-change.ts";

/** The parts of a new pull request. */
export interface NewPull extends Omit<NewIssue, "isClosed" | "ref"> {
  /** A branch of the repository. */
  readonly base: string;
  /** `branch`, `owner:branch` or `owner/name:branch`. */
  readonly head: string;
  /** Absent: the repository's default. Only users who may write the head branch may allow it to others. */
  readonly allowsMaintainerEdit?: boolean;
}

/**
 * Opens a pull request under the next number (D-NUMBER, semantics §21). Whoever may read may do it. 422 when head and
 * base are one branch, a text is over its bound or a user can't be an assignee; NotFound for branches and repositories
 * that are missing or hidden, and for an unknown milestone; Conflict when a request between these branches is open;
 * Forbidden when the owner blocks the caller; RateLimited and Unavailable as in `findCodeOwners`.
 */
export async function createPull(
  forge: Forge,
  access: RepositoryAccess,
  given: NewPull,
  actor: Actor,
): Promise<PullRequest> {
  const problem = issueTextProblem(given);
  if (problem !== undefined) throw problem;
  const { repository } = access;
  const { pair, sides, isHeadWriter } = await branchesOf(forge, access, given, actor);
  await requireUnblocked(forge, access, actor, repository.ownerId);
  await requireNoOther(forge, repository.id, pair);
  const parts = await partsOf(forge, access, given, actor);
  // Patterns are loaded where they are used.
  const { askCodeOwners, findCodeOwners } = await import("../review/code-owners/code-owners.ts");
  const isDraft = isDraftTitle(forge.config, given.title);
  const owners = isDraft ? [] : await findCodeOwners(forge, sides);
  const pull = await pullOf(forge, access, given, { pair, sides, isHeadWriter, parts, actor });
  await landPull(forge, access, pull, { sides, labelOrder: parts.labelOrder, actor });
  const hasLabels = parts.laterLabelIds.length > 0;
  if (hasLabels) await addIssueLabels(forge, access, pull.number, parts.laterLabelIds, { actor });
  const isAsked = await askCodeOwners(forge, access, pull, owners, actor);
  return !hasLabels && !isAsked ? pull : getPull(forge, access, pull.number);
}

/** The request as it begins, under the next number. */
async function pullOf(
  forge: Forge,
  { repository }: RepositoryAccess,
  given: NewPull,
  begun: {
    readonly pair: BranchPair;
    readonly sides: PullSides;
    readonly isHeadWriter: boolean;
    readonly parts: WriterParts;
    readonly actor: Actor;
  },
): Promise<PullRequest> {
  const { pair, sides, isHeadWriter, parts, actor } = begun;
  const { labelOrder: _order, laterLabelIds: _later, ...ofWriter } = parts;
  const [id, number] = await Promise.all([
    nextId(forge.table, "issue"),
    nextIssueNumber(forge.table, repository.id),
  ]);
  const place = { kind: "pull", repositoryId: repository.id, id, number } as const;
  const pull: PullPart = {
    ...pair,
    headId: sides.headId,
    mergeBase: sides.mergeBase,
    isDraft: isDraftTitle(forge.config, given.title),
    allowsMaintainerEdit:
      isHeadWriter && (given.allowsMaintainerEdit ?? repository.merge.defaultAllowMaintainerEdit),
  };
  return { ...bareIssue(forge, place, given, actor), ...ofWriter, kind: "pull", pull };
}

/** Writes a new request together with the ref that keeps its head. */
async function landPull(
  forge: Forge,
  { repository }: RepositoryAccess,
  pull: PullRequest,
  { sides, labelOrder, actor }: { sides: PullSides; labelOrder: readonly number[]; actor: Actor },
): Promise<void> {
  const changing = { actor, at: pull.createdAt, entryIds: entryIds(forge), labelOrder };
  const landed: { change?: IssueChange } = {};
  const isKept = await keepPullHead(forge, {
    pull,
    sides,
    actor,
    async writes() {
      await requireNoOther(forge, repository.id, pull.pull);
      landed.change = await planNewIssue(forge, pull, changing);
      return writesOfIssueChange({ change: landed.change, issueWrite: put(pull, absent) }, repository);
    },
  });
  if (!isKept || landed.change === undefined)
    throw notFound(`a branch of the request is gone [base: ${pull.pull.base}, head: ${pull.pull.head}]`);
  await followIssueChange(forge, landed.change);
}

async function branchesOf(
  forge: Forge,
  access: RepositoryAccess,
  { base, head }: NewPull,
  actor: Actor,
): Promise<{ readonly pair: BranchPair; readonly sides: PullSides; readonly isHeadWriter: boolean }> {
  if (base === head) throw unprocessable("base and head are the same branch: there is nothing to merge");
  const named = await findNamedBranch(forge, actor, access, head);
  const pair = { base, headRepositoryId: named.access.repository.id, head: named.branch };
  if (pair.headRepositoryId === access.repository.id && pair.head === base) {
    throw unprocessable("base and head are the same branch: there is nothing to merge");
  }
  const isHeadWriter = modeOf(named.access.rights, "code") >= accessMode.write;
  return { pair, sides: await openPullSides(forge, access.repository.id, pair), isHeadWriter };
}

async function partsOf(
  forge: Forge,
  access: RepositoryAccess,
  given: NewPull,
  actor: Actor,
): Promise<WriterParts> {
  if (!isIssueWriter(access.rights, "pull")) return noWriterParts;
  const { milestoneId = 0 } = given;
  if (milestoneId !== 0 && (await findMilestone(forge, access.repository.id, milestoneId)) === undefined) {
    throw notFound(`milestone does not exist [id: ${milestoneId}]`);
  }
  return writerPartsOf(forge, access, { ...given, ...defined({ milestoneId }) }, actor);
}
