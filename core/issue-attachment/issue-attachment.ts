import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { attachmentProblem } from "../attachment/allowed-types.ts";
import { type Attachment, attachmentKey, type IssueTarget } from "../attachment/attachment.table.ts";
import { editAttachment, findAttachmentsOf } from "../attachment/attachment.ts";
import type { ReceivedFile } from "../attachment/receive.ts";
import { attachmentAdditionWrites, attachmentRemovalWrites } from "../attachment/write.ts";
import { type Comment, rowOf } from "../comment/comment.table.ts";
import { findComment } from "../comment/comment.ts";
import { defined } from "../defined.ts";
import { forbidden, invalid, isForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { changeIssue, getIssue } from "../issue/change/change.ts";
import { dateOfChange } from "../issue/change/update-date.ts";
import type { Issue } from "../issue/issue.table.ts";
import { isIssueWriter, mayEditIssue } from "../issue/rights.ts";
import { usageHolderOf } from "../quota/usage.ts";
import { equals } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";

/** The target of attachments: an issue or pull by its number, or a comment by its id. */
export type Place = { readonly number: number } | { readonly commentId: number };

/** An issue, and the comment on it that is meant. */
interface Holder {
  readonly issue: Issue;
  readonly comment: Comment | undefined;
}

/** Files on one issue or comment. */
const mostPerHolder = 100;

const idsOf = ({ issue, comment }: Holder): readonly number[] => (comment ?? issue).attachmentIds ?? [];

const targetOf = ({ issue, comment }: Holder): IssueTarget => ({
  kind: "issue",
  number: issue.number,
  commentId: comment?.id ?? 0,
});

const noSuchComment = (id: number) => notFound(`comment does not exist [id: ${id}]`);

/** NotFound as for the issue or the comment, and for a timeline entry that is no comment. */
async function getHolder(forge: Forge, access: RepositoryAccess, place: Place): Promise<Holder> {
  if ("number" in place) {
    return { issue: await getIssue(forge, access, place.number), comment: undefined };
  }
  const comment = await findComment(forge, access, place.commentId);
  if (comment === undefined) throw noSuchComment(place.commentId);
  return { issue: await getIssue(forge, access, comment.issueNumber), comment };
}

/**
 * Forbidden unless the caller may change the attachments: of an issue its author and writers, of a comment its author
 * and administrators; of a locked issue only writers (semantics §19.4).
 */
function requireRights({ rights }: RepositoryAccess, actor: Actor, { issue, comment }: Holder): void {
  const isAllowed =
    comment === undefined
      ? mayEditIssue(rights, actor, issue)
      : comment.authorId === actor.user.id || isRepositoryAdmin(rights);
  if (!isAllowed) {
    throw forbidden(
      comment === undefined
        ? "only its author and writers may change the attachments of an issue"
        : "only its author and administrators may change the attachments of a comment",
    );
  }
  if (issue.isLocked && !isIssueWriter(rights, issue.kind)) {
    throw forbidden("the conversation is locked: only writers may change attachments");
  }
}

/**
 * Refuses a caller who may not attach files to this, or not with this date, before any file is read: NotFound,
 * Forbidden as in `createIssueAttachment`. Answers the target of new attachments.
 */
export async function requireAttachable(
  forge: Forge,
  access: RepositoryAccess,
  { place, updatedAt }: { readonly place: Place; readonly updatedAt?: number | undefined },
  actor: Actor,
): Promise<IssueTarget> {
  const holder = await getHolder(forge, access, place);
  requireRights(access, actor, holder);
  await requireUnblocked(forge, access, actor, holder.issue.authorId);
  dateOfChange(forge, access, holder.issue, updatedAt);
  return targetOf(holder);
}

/** A file received for the answer of `requireAttachable`, its name, and the given date (B-01). */
export interface NewAttachment {
  readonly file: ReceivedFile;
  readonly target: IssueTarget;
  readonly updatedAt?: number | undefined;
}

/**
 * Makes a received file an attachment of an issue or comment. The given date (B-01, B-02), now when absent, becomes
 * that of the attachment, and of the issue or the comment; a given one also that of the comment's issue (D-TOUCH).
 * NotFound as for the target; Forbidden for callers who may not; 422 for a name or a kind of file that is not allowed.
 */
export async function createIssueAttachment(
  forge: Forge,
  access: RepositoryAccess,
  place: Place,
  { file, target, updatedAt }: NewAttachment,
  actor: Actor,
): Promise<Attachment> {
  const { repository } = access;
  let created: Attachment | undefined;
  let id: number | undefined;
  await change(forge, access, { place, number: target.number }, async (holder) => {
    requireRights(access, actor, holder);
    await requireUnblocked(forge, access, actor, holder.issue.authorId);
    const at = dateOfChange(forge, access, holder.issue, updatedAt);
    const problem = attachmentProblem(forge.config, file.name, file.contentType);
    if (problem !== undefined) throw problem;
    const ids = idsOf(holder);
    if (ids.length >= mostPerHolder) throw invalid("Attachment", `at most ${mostPerHolder} on one issue`);
    id ??= await nextId(forge.table, "attachment");
    const { uuid, name, sizeBytes, contentType } = file;
    created = {
      ...attachmentKey(repository.id, id),
      ...{ id, uuid, repositoryId: repository.id, target, uploaderId: actor.user.id },
      ...{ name, sizeBytes, contentType, downloads: 0, createdAt: at, _v: 1 },
    };
    const { ownerId } = await usageHolderOf(forge, repository.id);
    return {
      attachmentIds: [...ids, id],
      at,
      isDated: updatedAt !== undefined,
      writes: attachmentAdditionWrites(ownerId, created, file.isAwaited === true),
    };
  });
  return created as Attachment;
}

/** The attachments of an issue or comment, in the order of their upload. NotFound as for the target. */
export async function listIssueAttachments(
  forge: Forge,
  access: RepositoryAccess,
  place: Place,
): Promise<Attachment[]> {
  const { issue, comment } = await getHolder(forge, access, place);
  return [...(await findAttachmentsOf(forge, [comment ?? issue])).values()];
}

/** One of them. NotFound also for an attachment of another target. */
export async function getIssueAttachment(
  forge: Forge,
  access: RepositoryAccess,
  place: Place,
  id: number,
): Promise<Attachment> {
  return getOf(forge, await getHolder(forge, access, place), id);
}

async function getOf(forge: Forge, holder: Holder, id: number): Promise<Attachment> {
  const { repositoryId } = holder.issue;
  const isNamed = idsOf(holder).includes(id);
  const found = isNamed ? await forge.table.get<Attachment>(attachmentKey(repositoryId, id)) : undefined;
  if (found === undefined) throw notFound(`attachment does not exist [id: ${id}]`);
  return found;
}

/** Renames an attachment; without a name it keeps its own. NotFound, Forbidden, 422 as in `createIssueAttachment`. */
export async function renameIssueAttachment(
  forge: Forge,
  access: RepositoryAccess,
  place: Place,
  id: number,
  name: string | undefined,
  actor: Actor,
): Promise<Attachment> {
  const holder = await getHolder(forge, access, place);
  const attachment = await getOf(forge, holder, id);
  requireRights(access, actor, holder);
  if (!name || name === attachment.name) return attachment;
  const problem = attachmentProblem(forge.config, name, attachment.contentType);
  if (problem !== undefined) throw problem;
  return editAttachment(forge, attachment, { name });
}

/** Removes an attachment. NotFound, Forbidden as in `createIssueAttachment`. */
export async function removeIssueAttachment(
  forge: Forge,
  access: RepositoryAccess,
  place: Place,
  id: number,
  actor: Actor,
): Promise<void> {
  const { number } = "number" in place ? place : (await getHolder(forge, access, place)).issue;
  await change(forge, access, { place, number }, async (holder) => {
    const attachment = await getOf(forge, holder, id);
    requireRights(access, actor, holder);
    const { ownerId } = await usageHolderOf(forge, access.repository.id);
    return {
      attachmentIds: idsOf(holder).filter((one) => one !== id),
      writes: attachmentRemovalWrites(forge, ownerId, attachment),
    };
  });
}

/** The change of a target: the ids that it names, the writes beside it, and its new date. */
interface HolderChange {
  readonly attachmentIds: readonly number[];
  readonly writes: readonly Write[];
  /** Whole seconds; absent: it keeps its date. */
  readonly at?: number;
  /** The date was given: a comment's is its issue's, too. */
  readonly isDated?: boolean;
}

async function change(
  forge: Forge,
  access: RepositoryAccess,
  { place, number }: { readonly place: Place; readonly number: number },
  plan: (holder: Holder) => Promise<HolderChange>,
): Promise<void> {
  await changeIssue(forge, access, number, async (before) => {
    const comment = "number" in place ? undefined : await findComment(forge, access, place.commentId);
    if (!("number" in place) && comment === undefined) {
      throw noSuchComment(place.commentId);
    }
    const { attachmentIds, writes, at, isDated } = await plan({ issue: before, comment });
    const dated = defined({ updatedAt: at });
    if (comment === undefined) {
      return { issue: { ...before, attachmentIds, ...dated }, entries: [], events: [], writes };
    }
    const after: Comment = { ...comment, attachmentIds, ...dated, v: comment.v + 1 };
    return {
      issue: { ...before, ...(isDated === true ? dated : {}) },
      entries: [],
      events: [],
      writes: [...writes, put(after, equals({ v: comment.v })), put(rowOf(after))],
    };
  });
}

/** Whether the caller may read the issue or comment that an attachment is on, and it still names the attachment. */
export async function isIssueAttachmentReadable(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
  { number, commentId }: IssueTarget,
): Promise<boolean> {
  const place = commentId === 0 ? { number } : { commentId };
  const holder = await getHolder(forge, access, place).catch((error: unknown) => {
    if (isForgeError(error, "not-found")) return undefined;
    throw error;
  });
  return holder !== undefined && idsOf(holder).includes(id);
}
