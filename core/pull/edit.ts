import { accessMode, modeOf } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import { findAccessById } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { openCode } from "../code/open.ts";
import { conflict, forbidden, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { editIssue, type IssueChanges } from "../issue/edit.ts";
import { replaceIssueLabels } from "../issue/labels/labels.ts";
import { isIssueWriter } from "../issue/rights.ts";
import type { PullPart, PullRequest } from "./pull.table.ts";
import { getPull } from "./pull.ts";
import { newestCommon } from "./sides.ts";
import { requireNoOther, requireStateChange } from "./state-change.ts";

/** The changes of a pull request; absent members stay as they are. */
export interface PullChanges extends Omit<IssueChanges, "ref"> {
  /** Another branch of the repository. */
  readonly base?: string;
  readonly allowsMaintainerEdit?: boolean;
  /** Ids of all labels after the change; ignored unless the caller may write pulls. */
  readonly labelIds?: readonly number[];
}

/**
 * Edits a pull request (semantics §21): its author and writers may. 412 for opening or closing a merged one; NotFound
 * for an unknown base; Conflict when another request goes there, or this one is merged; 422 for another base of a
 * closed one; Forbidden for callers who allow maintainers to edit a head that they may not write themselves.
 */
export async function editPull(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  { base, allowsMaintainerEdit, labelIds, ...changes }: PullChanges,
  actor: Actor,
): Promise<PullRequest> {
  const pull = await getPull(forge, access, number);
  if (changes.isClosed !== undefined) await requireStateChange(forge, pull, changes.isClosed);
  const part: { -readonly [Name in keyof PullPart]?: PullPart[Name] } = {};
  if (base !== undefined && base !== pull.pull.base)
    Object.assign(part, await baseOf(forge, access, pull, base));
  if (allowsMaintainerEdit !== undefined && allowsMaintainerEdit !== pull.pull.allowsMaintainerEdit) {
    await requireHeadWriter(forge, pull, actor);
    part.allowsMaintainerEdit = allowsMaintainerEdit;
  }
  await editIssue(forge, access, number, { ...changes, pull: part }, actor);
  if (labelIds !== undefined && isIssueWriter(access.rights, "pull")) {
    await replaceIssueLabels(forge, access, number, labelIds, { actor });
  }
  return getPull(forge, access, number);
}

/** The request's part with another base. */
async function baseOf(
  forge: Forge,
  { repository }: RepositoryAccess,
  { isClosed, pull }: PullRequest,
  base: string,
): Promise<Pick<PullPart, "base" | "mergeBase">> {
  if (pull.merge !== undefined) throw conflict("the request is merged: its base stays");
  if (isClosed) throw unprocessable("the request is closed: open it before it gets another base");
  const code = await openCode(forge, repository.id);
  const baseId = code.repository.refs.find(branchPrefix + base)?.id;
  if (baseId === undefined) throw notFound(`the base branch does not exist [base: ${base}]`);
  if (pull.headRepositoryId === repository.id && pull.head === base) {
    throw unprocessable("base and head are the same branch: there is nothing to merge");
  }
  await requireNoOther(forge, repository.id, { ...pull, base });
  return { base, mergeBase: await newestCommon(code, baseId, pull.headId) };
}

async function requireHeadWriter(forge: Forge, { authorId, pull }: PullRequest, actor: Actor): Promise<void> {
  const head = await findAccessById(forge, actor, pull.headRepositoryId);
  const isWriter = head !== undefined && modeOf(head.rights, "code") >= accessMode.write;
  if (authorId !== actor.user.id || !isWriter) {
    throw forbidden("only the author, who may write the head branch, lets maintainers edit it");
  }
}
