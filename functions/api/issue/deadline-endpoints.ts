import { setIssueDeadline } from "#core/issue/deadline";
import { endpoint } from "../../http/endpoint.ts";
import { isUnset, optionalTimestamp } from "../../http/timestamps.ts";
import { endOfDay } from "./endpoints.ts";
import { byWriters } from "./needs.ts";
import { EditDeadlineOption, IssueDeadline } from "./schema.ts";

const issueEditIssueDeadline = endpoint({
  ...byWriters,
  id: "issueEditIssueDeadline",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/deadline",
  summary: "Set or clear the day until which an issue is due",
  body: EditDeadlineOption,
  status: 201, // as the family answers, also for a cleared date
  returns: { json: IssueDeadline },
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params, body }) => {
    const { due_date } = body;
    const dueAt = due_date == null || isUnset(due_date) ? 0 : endOfDay(due_date);
    const issue = await setIssueDeadline(forge, access, params.index, dueAt, actor);
    return { due_date: optionalTimestamp(issue.dueAt) };
  },
});

export const issueDeadlineEndpoints = [issueEditIssueDeadline];
