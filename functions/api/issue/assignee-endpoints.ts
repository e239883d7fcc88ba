import { addAssignees, canAssign, removeAssignees } from "#core/issue/assignees/assign";
import { no } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { byWriters, readsIssues } from "./needs.ts";
import { Issue, IssueAssigneesOption } from "./schema.ts";
import { showIssue } from "./show.ts";

const issueAddAssignees = endpoint({
  ...byWriters,
  id: "issueAddAssignees",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/assignees",
  summary: "Assign an issue to more users",
  refusesArchived: true,
  body: IssueAssigneesOption,
  status: 201,
  returns: { json: Issue },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const issue = await addAssignees(forge, access, params.index, body.assignees ?? [], actor);
    return showIssue(forge, viewOf(request), access, issue);
  },
});

const issueRemoveAssignees = endpoint({
  ...byWriters,
  id: "issueRemoveAssignees",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/assignees",
  summary: "Take users off an issue",
  refusesArchived: true,
  body: IssueAssigneesOption,
  status: 200,
  returns: { json: Issue },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const issue = await removeAssignees(forge, access, params.index, body.assignees ?? [], actor);
    return showIssue(forge, viewOf(request), access, issue);
  },
});

const issueCheckAssignee = endpoint({
  id: "issueCheckAssignee",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/assignees/{assignee}",
  summary: "Check whether an issue can be assigned to a user",
  needs: readsIssues,
  isCheck: true,
  status: 204,
  errors: [404],
  handle: async ({ forge, access, actor, params }) => {
    const isPossible = await canAssign(forge, access, params.index, params.assignee, actor);
    return isPossible ? undefined : no;
  },
});

export const issueAssigneeEndpoints = [issueAddAssignees, issueRemoveAssignees, issueCheckAssignee];
