import { badRequest } from "#core/errors";
import { addPin, isPinnable, listPinnedIssues, movePin, removePin } from "#core/issue/pins";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { readsIssues } from "./needs.ts";
import { Issue, NewIssuePinsAllowed } from "./schema.ts";
import { showIssues } from "./show.ts";

const arranging = {
  tag: "issue",
  needs: { scope: ["issue"], login: true, repository: { mode: "admin" } },
  status: 204,
} as const;

const pinIssue = endpoint({
  ...arranging,
  id: "pinIssue",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/pin",
  summary: "Pin an issue behind those that are pinned",
  description: "At most three issues of a repository are pinned, and as many pull requests.",
  errors: [400, 401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    await addPin(forge, access, params.index, actor);
    return undefined;
  },
});

const unpinIssue = endpoint({
  ...arranging,
  id: "unpinIssue",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/pin",
  summary: "Unpin an issue",
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    await removePin(forge, access, params.index, actor);
    return undefined;
  },
});

const moveIssuePin = endpoint({
  ...arranging,
  id: "moveIssuePin",
  method: "patch",
  path: "/repos/{owner}/{repo}/issues/{index}/pin/{position}",
  summary: "Move a pinned issue to a position, counted from 1",
  errors: [400, 401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    if (!/^-?\d{1,9}$/.test(params.position)) throw badRequest("the position must be a whole number");
    await movePin(forge, access, params.index, Number(params.position), actor);
    return undefined;
  },
});

const repoListPinnedIssues = endpoint({
  id: "repoListPinnedIssues",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/pinned",
  summary: "List a repository's pinned issues in their order",
  needs: readsIssues,
  status: 200,
  returns: { list: Issue, hasTexts: true },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access } = request;
    const pinned = await listPinnedIssues(forge, access);
    const items = await showIssues(forge, viewOf(request), access, pinned);
    return { items, total: items.length };
  },
});

const repoNewPinAllowed = endpoint({
  id: "repoNewPinAllowed",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/new_pin_allowed",
  summary: "Check whether one more issue or pull request may be pinned",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { json: NewIssuePinsAllowed },
  errors: [404],
  handle: async ({ forge, access }) => {
    const { issue, pull } = await isPinnable(forge, access);
    return { issues: issue, pull_requests: pull };
  },
});

export const issuePinEndpoints = [
  repoListPinnedIssues,
  repoNewPinAllowed,
  pinIssue,
  unpinIssue,
  moveIssuePin,
];
