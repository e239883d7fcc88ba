import { lockIssue, unlockIssue } from "#core/issue/lock";
import { endpoint } from "../../http/endpoint.ts";
import { byWriters } from "./needs.ts";
import { LockIssueOption } from "./schema.ts";

const issueLockIssue = endpoint({
  ...byWriters,
  id: "issueLockIssue",
  method: "put",
  path: "/repos/{owner}/{repo}/issues/{index}/lock",
  summary: "Lock the conversation of an issue: only writers go on with it",
  body: LockIssueOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params, body }) => {
    await lockIssue(forge, access, params.index, body.lock_reason ?? "", actor);
    return undefined;
  },
});

const issueUnlockIssue = endpoint({
  ...byWriters,
  id: "issueUnlockIssue",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/lock",
  summary: "Open the conversation of a locked issue again",
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    await unlockIssue(forge, access, params.index, actor);
    return undefined;
  },
});

export const issueLockEndpoints = [issueLockIssue, issueUnlockIssue];
