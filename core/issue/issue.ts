import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { newEntry } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import { nextId, nextIssueNumber } from "../ids.ts";
import { absent, put } from "../table.ts";
import { newWords } from "../word-index/word-index.ts";
import { commit } from "./change.ts";
import { issueEvent, textProblem } from "./edit.ts";
import { authorKeys, createdRow, type Issue, issueKey, textPlace } from "./issue.table.ts";
import { isWriter } from "./rights.ts";

export { attempts, change, get, type IssueChange } from "./change.ts";
export { edit, type IssueChanges } from "./edit.ts";
export { type IssueQuery, list } from "./list.ts";
export { isReadable, isWriter, mayEdit, readableKinds } from "./rights.ts";

/** What a new issue is made of. */
export interface NewIssue {
  readonly title: string;
  readonly body?: string;
  readonly ref?: string;
  /** Opened and closed at once. */
  readonly isClosed?: boolean;
  /** Whole seconds. Ignored unless the caller may write issues. */
  readonly dueAt?: number;
}

/** Opens an issue under the next number (D-NUMBER). 422 when a text is over its bound. */
export async function create(
  forge: Forge,
  access: RepositoryAccess,
  given: NewIssue,
  actor: Actor,
): Promise<Issue> {
  const problem = textProblem(given);
  if (problem !== undefined) throw problem;
  const { repository } = access;
  const [id, number, closeId] = await Promise.all([
    nextId(forge.table, "issue"),
    nextIssueNumber(forge.table, repository.id),
    given.isClosed === true ? nextId(forge.table, "comment") : undefined,
  ]);
  const dueAt = isWriter(access.rights, "issue") ? given.dueAt : undefined;
  const issue = newIssue(
    forge,
    { repositoryId: repository.id, id, number },
    { ...given, dueAt: dueAt ?? 0 },
    actor,
  );
  const { createdAt } = issue;
  const change = {
    issue,
    entries:
      closeId === undefined
        ? []
        : [newEntry(issue, { id: closeId, type: "close", authorId: actor.user.id, createdAt })],
    counts: issue.isClosed ? { closedIssues: 1 } : { openIssues: 1 },
    events: [
      issueEvent(forge, issue, actor, "opened"),
      ...(issue.isClosed ? [issueEvent(forge, issue, actor, "closed")] : []),
    ],
    writes: [put(createdRow(issue)), ...newWords(textPlace(issue), [issue.title, issue.body], issue.v)],
  };
  await commit(forge, access, async () => ({ change, issueWrite: put(issue, absent) }));
  return issue;
}

function newIssue(
  forge: Forge,
  place: Pick<Issue, "repositoryId" | "id" | "number">,
  given: NewIssue,
  actor: Actor,
): Issue {
  const now = nowSeconds(forge.clock);
  const key = issueKey(place.repositoryId, place.number);
  const isClosed = given.isClosed ?? false;
  return {
    ...key,
    ...authorKeys(actor.user.id, "issue", key),
    ...place,
    kind: "issue",
    authorId: actor.user.id,
    title: given.title,
    body: given.body ?? "",
    ref: given.ref ?? "",
    isClosed,
    isLocked: false,
    labelIds: [],
    milestoneId: 0,
    assigneeIds: [],
    pin: 0,
    comments: 0,
    dueAt: given.dueAt ?? 0,
    createdAt: now,
    updatedAt: now,
    closedAt: isClosed ? now : 0,
    v: 1,
    _v: 1,
  };
}
