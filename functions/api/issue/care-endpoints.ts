import * as issues from "#core/issue/issue";
import { endpoint } from "../endpoint.ts";
import { no } from "../user/lists.ts";
import { optionalTimestamp, viewOf } from "../view.ts";
import { eitherUnit, endOfDay, isUnset, requireWritable } from "./endpoints.ts";
import { presentIssue } from "./present.ts";
import { EditDeadlineOption, Issue, IssueAssigneesOption, IssueDeadline, LockIssueOption } from "./schema.ts";

/** What writers do with an issue beside editing it: who is to care for it, until when, and who may talk. */
const writing = {
  tag: "issue",
  needs: { scope: ["issue"], login: true, repository: { mode: "read", unit: eitherUnit } },
  thingRights: requireWritable,
} as const;

const issueAddAssignees = endpoint({
  ...writing,
  id: "issueAddAssignees",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/assignees",
  summary: "Assign an issue to more users",
  body: IssueAssigneesOption,
  status: 201,
  returns: { json: Issue },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const issue = await issues.addAssignees(forge, access, params.index, body.assignees ?? [], actor);
    return presentIssue(forge, viewOf(request), access, issue);
  },
});

const issueRemoveAssignees = endpoint({
  ...writing,
  id: "issueRemoveAssignees",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/assignees",
  summary: "Take users off an issue",
  body: IssueAssigneesOption,
  status: 200,
  returns: { json: Issue },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const issue = await issues.removeAssignees(forge, access, params.index, body.assignees ?? [], actor);
    return presentIssue(forge, viewOf(request), access, issue);
  },
});

const issueCheckAssignee = endpoint({
  id: "issueCheckAssignee",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/assignees/{assignee}",
  summary: "Check whether an issue can be assigned to a user",
  needs: { scope: ["issue"], repository: { mode: "read", unit: eitherUnit } },
  isCheck: true,
  status: 204,
  errors: [404],
  handle: async ({ forge, access, actor, params }) => {
    const isPossible = await issues.canAssign(forge, access, params.index, params.assignee, actor);
    return isPossible ? undefined : no;
  },
});

const issueEditIssueDeadline = endpoint({
  ...writing,
  id: "issueEditIssueDeadline",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/deadline",
  summary: "Set or clear the day until which an issue is due",
  body: EditDeadlineOption,
  status: 201, // as the family answers, also where a date is cleared
  returns: { json: IssueDeadline },
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params, body }) => {
    const { due_date } = body;
    const dueAt = due_date == null || isUnset(due_date) ? 0 : endOfDay(due_date);
    const issue = await issues.setDeadline(forge, access, params.index, dueAt, actor);
    return { due_date: optionalTimestamp(issue.dueAt) };
  },
});

const issueLockIssue = endpoint({
  ...writing,
  id: "issueLockIssue",
  method: "put",
  path: "/repos/{owner}/{repo}/issues/{index}/lock",
  summary: "Lock the conversation of an issue: only writers go on with it",
  body: LockIssueOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params, body }) => {
    await issues.lock(forge, access, params.index, body.lock_reason ?? "", actor);
    return undefined;
  },
});

const issueUnlockIssue = endpoint({
  ...writing,
  id: "issueUnlockIssue",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/lock",
  summary: "Open the conversation of a locked issue again",
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    await issues.unlock(forge, access, params.index, actor);
    return undefined;
  },
});

export const issueCareEndpoints = [
  issueAddAssignees,
  issueRemoveAssignees,
  issueCheckAssignee,
  issueEditIssueDeadline,
  issueLockIssue,
  issueUnlockIssue,
];
