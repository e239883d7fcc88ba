import { defined } from "#core/defined";
import { getIssue } from "#core/issue/change/change";
import { editIssue, type IssueChanges, requireIssueEditable } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { issueKey } from "#core/issue/issue.table";
import { listIssues } from "#core/issue/listing/list";
import { removeIssue } from "#core/issue/removal/remove";
import { waitingKey } from "#core/word-index/word-index.table";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text, texts, time } from "../../http/query.ts";
import { isUnset, secondsFrom } from "../../http/timestamps.ts";
import { issueAhead, readsIssues, readsIssuesSignedIn } from "./needs.ts";
import { orderWord, stateWord, typeWord } from "./query-words.ts";
import { CreateIssueOption, EditIssueOption, type EditIssueOptionJson, Issue } from "./schema.ts";
import { showIssue, showIssues } from "./show.ts";
import { dateIn } from "./update-date.ts";

type AssigneesJson = Pick<EditIssueOptionJson, "assignee" | "assignees">;

const issueListIssues = endpoint({
  id: "issueListIssues",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues",
  summary: "List a repository's issues",
  cost: (query) => (query.has("q") ? "heavy" : "light"),
  needs: readsIssues,
  query: {
    state: stateWord,
    type: typeWord,
    q: text,
    since: time,
    before: time,
    created_by: text,
    assigned_by: text,
    mentioned_by: text.openapi({ description: "name of a user whom the issue mentions" }),
    labels: texts.openapi({ description: "names with commas between, all of which must match" }),
    milestones: texts.openapi({ description: "ids or titles with commas between" }),
    sort: orderWord,
  },
  status: 200,
  returns: { list: Issue, hasTexts: true },
  errors: [404, 422],
  handle: async (request) => {
    const { forge, access, actor, page } = request;
    const { state, type, q, since, before, created_by, assigned_by, mentioned_by } = request.query;
    const { labels, milestones, sort } = request.query;
    const userNamed = (name: string | undefined) => (name === undefined ? undefined : { name, actor });
    const { items, ...rest } = await listIssues(forge, access, {
      ...page,
      state,
      order: sort,
      ...defined({ kind: type, words: q, since, before, labels, milestones }),
      ...defined({
        createdBy: userNamed(created_by),
        assignedTo: userNamed(assigned_by),
        mentioning: userNamed(mentioned_by),
      }),
    });
    return { items: await showIssues(forge, viewOf(request), access, items), ...rest };
  },
});

const issueCreateIssue = endpoint({
  id: "issueCreateIssue",
  tag: "issue",
  method: "post",
  path: "/repos/{owner}/{repo}/issues",
  summary: "Create an issue",
  needs: {
    scope: ["issue"],
    login: true,
    repository: { mode: "read", unit: "issues" },
  },
  refusesArchived: true,
  body: CreateIssueOption,
  status: 201,
  returns: { json: Issue },
  errors: [401, 403, 404, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, body } = request;
    const { title, body: text, ref, closed, due_date, labels, milestone } = body;
    const assignees = assigneesOf(body);
    const given = {
      title,
      ...defined({ body: text, ref, isClosed: closed }),
      ...(due_date === undefined || isUnset(due_date) ? {} : { dueAt: secondsFrom(due_date) }),
      ...defined({ labelIds: labels, milestoneId: milestone, assignees }),
    };
    const issue = await createIssue(forge, access, given, actor);
    return showIssue(forge, viewOf(request), access, issue);
  },
});

const issueGetIssue = endpoint({
  id: "issueGetIssue",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}",
  summary: "Get an issue",
  needs: readsIssues,
  readsAhead: issueAhead,
  status: 200,
  returns: { json: Issue },
  errors: [404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const issue = await getIssue(forge, access, params.index);
    return showIssue(forge, viewOf(request), access, issue);
  },
});

const issueEditIssue = endpoint({
  id: "issueEditIssue",
  tag: "issue",
  method: "patch",
  path: "/repos/{owner}/{repo}/issues/{index}",
  summary: "Edit an issue",
  needs: readsIssuesSignedIn,
  readsAhead: (repositoryId, { index }) => [
    issueKey(repositoryId, index),
    waitingKey({ repositoryId, number: index, commentId: 0 }),
  ],
  thingRights: ({ forge, access, params, actor }) => requireIssueEditable(forge, access, params.index, actor),
  hasBareRefusal: true,
  body: EditIssueOption,
  status: 201, // as the family answers, although nothing is created
  returns: { json: Issue },
  errors: [401, 403, 404, 409, 412, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const updatedAt = dateIn(body);
    const issue = await editIssue(forge, access, params.index, changesOf(body), actor, updatedAt);
    return showIssue(forge, viewOf(request), access, issue);
  },
});

const issueDelete = endpoint({
  id: "issueDelete",
  tag: "issue",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}",
  summary: "Delete an issue with everything in it",
  needs: { scope: ["issue"], login: true, repository: { mode: "admin" } },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, params }) => {
    await removeIssue(forge, access, params.index);
    return undefined;
  },
});

function changesOf(body: EditIssueOptionJson): IssueChanges {
  const { title, body: text, ref, state, due_date, unset_due_date, milestone } = body;
  const assignees = assigneesOf(body);
  return {
    ...defined({ title: title || undefined, body: text, ref }),
    ...(state === undefined ? {} : { isClosed: state === "closed" }),
    ...(due_date === undefined ? {} : { dueAt: isUnset(due_date) ? 0 : endOfDay(due_date) }),
    ...(unset_due_date === true ? { dueAt: 0 } : {}),
    ...defined({ milestoneId: milestone, assignees }),
  };
}

/** All users to assign, by name; undefined when the request names none. */
export function assigneesOf({ assignee, assignees }: AssigneesJson): string[] | undefined {
  if (assignee === undefined && assignees === undefined) return undefined;
  return [...(assignees ?? []), ...(assignee ? [assignee] : [])];
}

/** The last second of a time's day, in the time's own offset (semantics §19.2). */
export function endOfDay(time: string): number {
  const [day, offset] = [time.slice(0, 10), time.match(/(Z|[+-]\d\d:\d\d)$/)?.[0] ?? "Z"];
  return secondsFrom(`${day}T23:59:59${offset}`);
}

export const issueEndpoints = [issueListIssues, issueCreateIssue, issueGetIssue, issueEditIssue, issueDelete];
