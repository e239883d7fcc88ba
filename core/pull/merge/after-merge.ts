import { findAccessById, type RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { removeBranch } from "../../branch/change.ts";
import { nowSeconds } from "../../clock.ts";
import { entryKey, type TimelineEntry } from "../../comment/comment.table.ts";
import { defined } from "../../defined.ts";
import { hasOpenDependencies } from "../../dependency/dependency.ts";
import { isForgeError } from "../../errors.ts";
import { type EventMessage, outbox } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { changeIssue } from "../../issue/change/change.ts";
import { entryChange, planIssueChange } from "../../issue/change/plan-change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import { type Issue, issueKey } from "../../issue/issue.table.ts";
import { accessLoader } from "../../issue/placed-issues.ts";
import { mayEditIssue } from "../../issue/rights.ts";
import {
  type TextReference,
  type TextReferences,
  textReferencesKey,
} from "../../reference/reference.table.ts";
import { all, equals, exists } from "../../table/condition.ts";
import { keyText, type TableKey, update, type Write } from "../../table/write.ts";
import { hasPushedHead } from "../head/pushed-head.ts";
import { type OpenPullRow, openPullsFrom, type PullRequest } from "../pull.table.ts";
import type { HeadFate } from "./merge.ts";
import type { Merging } from "./protection.ts";
import type { WantedMerge } from "./wanted.ts";

/** What is left to do once a request is merged. */
export interface MergedRequest {
  readonly repositoryId: number;
  readonly number: number;
  readonly mergerId: number;
  /** Whose doing it is, when it was merged in the name of the merger (`Actor.causerId`). */
  readonly causerId?: number;
  readonly commitId: ObjectId;
  readonly deletesBranch: boolean;
}

/** The same as a message of the queue: it comes when the process that merged did not get to it. */
export type AfterMergeMessage = EventMessage & MergedRequest & { readonly kind: "after-merge" };

/** Work, and the outbox item that goes with it. */
export interface AfterMerge extends MergedRequest {
  readonly due?: TableKey;
}

/** The work after a merge, and the outbox write for the merge's transaction that makes sure of it. */
export function dueAfterMerge(
  forge: Forge,
  { pull, actor }: Merging,
  commitId: ObjectId,
  { deletesBranch = false }: WantedMerge,
): { readonly write: Write; readonly after: AfterMerge } {
  const { repositoryId, number } = pull;
  const by = { mergerId: actor.user.id, ...defined({ causerId: actor.causerId }) };
  const merged = { repositoryId, number, ...by, commitId, deletesBranch };
  const { write, item } = outbox(forge, "repository-events", { kind: "after-merge", ...merged });
  return { write, after: { ...merged, due: item } };
}

/**
 * Closes and reopens the issues that the request's text names with a keyword, with the rights of the user who merged it
 * (semantics §20.3), and deletes its head branch when that was wanted. It may be repeated.
 */
export async function afterMerge(forge: Forge, merged: AfterMerge, actor: Actor): Promise<HeadFate> {
  const { repositoryId, number, deletesBranch, due } = merged;
  const pull = await forge.table.get<PullRequest>(issueKey(repositoryId, number));
  const access = await findAccessById(forge, actor, repositoryId);
  let fate: HeadFate = "kept";
  if (pull !== undefined && access !== undefined) {
    await settleNamedIssues(forge, merged, access, actor);
    if (deletesBranch) fate = await deleteHead(forge, pull, access, actor);
  }
  if (due !== undefined) await forge.table.removeAll([due]);
  return fate;
}

async function settleNamedIssues(
  forge: Forge,
  merged: MergedRequest,
  access: RepositoryAccess,
  actor: Actor,
): Promise<void> {
  const { repositoryId, number } = merged;
  const key = textReferencesKey({ repositoryId, number, commentId: 0 });
  const { references = [] } = (await forge.table.get<TextReferences>(key)) ?? {};
  const named = references.filter(({ action }) => action !== "none");
  const keyOf = (one: TextReference) => entryKey(one.repositoryId, one.number, one.entryId);
  const entries = await forge.table.getAll<TimelineEntry>(named.map(keyOf));
  const loader = accessLoader(forge, actor, access);
  for (const one of named) {
    const place = await loader.accessTo(one.repositoryId);
    const { refAction } = entries.get(keyText(keyOf(one))) ?? {};
    const isActing = refAction === "closes" || refAction === "reopens";
    if (place === undefined || place.repository.isArchived || !isActing) continue;
    const isClosed = refAction === "closes";
    await setState(forge, merged, { place, actor, number: one.number, isClosed, reference: keyOf(one) });
  }
}

interface StateChange {
  readonly place: RepositoryAccess;
  readonly actor: Actor;
  readonly number: number;
  readonly isClosed: boolean;
  /** The timeline entry that wants it. */
  readonly reference: TableKey;
}

/** Once for each reference: whoever changes the issue after that has the last word. */
async function setState(
  forge: Forge,
  { repositoryId, commitId: id }: MergedRequest,
  { place, actor, number, isClosed, reference }: StateChange,
): Promise<void> {
  const changing = { actor, entryIds: entryIds(forge), commit: { repositoryId, id } };
  const settling = update(
    reference,
    { set: { isSettled: true } },
    all(exists, equals({ isSettled: undefined })),
  );
  const plan = async (issue: Issue) => {
    const entry = await forge.table.get<TimelineEntry>(reference);
    if (entry === undefined || entry.isSettled === true) return undefined;
    if (issue.kind !== "issue" || !mayEditIssue(place.rights, actor, issue)) return undefined;
    if (isClosed && !issue.isClosed && (await hasOpenDependencies(forge, place, issue))) return undefined;
    const at = nowSeconds(forge.clock);
    const change = await planIssueChange(forge, issue, { ...issue, isClosed }, { ...changing, at });
    if (change !== undefined) return { ...change, writes: [...(change.writes ?? []), settling] };
    await forge.table.write(settling);
    return undefined;
  };
  try {
    await changeIssue(forge, place, number, plan);
  } catch (error) {
    // Deleted meanwhile, or hidden from the merging user.
    if (!isForgeError(error, "not-found")) throw error;
  }
}

/** Deletes the head branch where it was merged. It stays when another open request comes from it. */
async function deleteHead(
  forge: Forge,
  pull: PullRequest,
  access: RepositoryAccess,
  actor: Actor,
): Promise<HeadFate> {
  const { headRepositoryId, head, headId } = pull.pull;
  if (hasPushedHead(pull.pull)) return "kept";
  const others = await forge.table.query<OpenPullRow>({ ...openPullsFrom(headRepositoryId, head), limit: 1 });
  if (others.items.length > 0) return "kept";
  const place = await findAccessById(forge, actor, headRepositoryId);
  if (place === undefined) return "refused";
  try {
    await removeBranch(forge, place.repository, actor, head, headId);
  } catch (error) {
    if (isForgeError(error, "forbidden")) return "refused";
    if (isForgeError(error, "not-found") || isForgeError(error, "conflict")) return "kept";
    throw error;
  }
  await tellDeletion(forge, access, pull, actor);
  return "deleted";
}

async function tellDeletion(
  forge: Forge,
  access: RepositoryAccess,
  { number, pull }: PullRequest,
  actor: Actor,
): Promise<void> {
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, (issue) => {
    const changing = { actor, at: nowSeconds(forge.clock), entryIds: drawIds };
    return entryChange(issue, { type: "delete_branch", oldRef: pull.head }, changing);
  });
}
