import { defined } from "#core/defined";
import { requireIssueEditable } from "#core/issue/edit";
import { listPinnedIssues } from "#core/issue/pins";
import { editPull, type PullChanges } from "#core/pull/edit";
import { listPulls } from "#core/pull/list";
import { findPullBetween, getPull, getPullMergedBy } from "#core/pull/pull";
import { isPullRequest } from "#core/pull/pull.table";
import { no } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { integer, integers, text } from "../../http/query.ts";
import { isUnset, secondsFrom } from "../../http/timestamps.ts";
import { assigneesOf, endOfDay } from "../issue/endpoints.ts";
import { orderWord, stateWord } from "../issue/query-words.ts";
import { byPullReaders, bySignedInReaders, readsPulls } from "./needs.ts";
import {
  CreatePullRequestOption,
  EditPullRequestOption,
  type EditPullRequestOptionJson,
  PullRequest,
} from "./schema.ts";
import { showAll, showPull } from "./show.ts";

const repoListPullRequests = endpoint({
  id: "repoListPullRequests",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/pulls",
  summary: "List a repository's pull requests",
  needs: readsPulls,
  query: {
    state: stateWord,
    sort: orderWord,
    milestone: integer.openapi({ description: "a milestone's id" }),
    labels: integers("ids of labels, one of which must match; may be repeated"),
    poster: text.openapi({ description: "the author's name" }),
    base: text.openapi({ description: "a branch of the repository" }),
    base_branch: text.openapi({ description: "the same, as some clients name it" }),
    head: text.openapi({ description: "branch, owner:branch or owner/name:branch" }),
  },
  status: 200,
  returns: { list: PullRequest, hasTexts: true },
  errors: [400, 403, 404, 422],
  handle: async (request) => {
    const { forge, access, actor, page } = request;
    const { state, sort, milestone, labels, poster, base_branch, base = base_branch, head } = request.query;
    const query = {
      ...page,
      state,
      order: sort,
      ...defined({ milestoneId: milestone, labelIds: labels, poster, base, head }),
    };
    const { items, total } = await listPulls(forge, access, query, actor);
    return { items: await showAll(forge, viewOf(request), access, items), total };
  },
});

const repoCreatePullRequest = endpoint({
  id: "repoCreatePullRequest",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/pulls",
  summary: "Open a pull request",
  cost: "heavy",
  needs: { ...readsPulls, login: true },
  refusesArchived: true,
  body: CreatePullRequestOption,
  status: 201,
  returns: { json: PullRequest },
  errors: [401, 403, 404, 409, 413, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, body } = request;
    const { title, head, base, body: text, labels, milestone, due_date, allow_maintainer_edit } = body;
    const given = {
      ...{ title, head, base },
      ...(due_date === undefined || isUnset(due_date) ? {} : { dueAt: secondsFrom(due_date) }),
      ...defined({ body: text, labelIds: labels, milestoneId: milestone, assignees: assigneesOf(body) }),
      ...defined({ allowsMaintainerEdit: allow_maintainer_edit }),
    };
    const { createPull } = await import("#core/pull/create"); // the rest of the API starts without it
    const pull = await createPull(forge, access, given, actor);
    return showPull(forge, viewOf(request), access, pull);
  },
});

const repoListPinnedPullRequests = endpoint({
  id: "repoListPinnedPullRequests",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/pinned",
  summary: "List a repository's pinned pull requests in their order",
  needs: readsPulls,
  status: 200,
  returns: { list: PullRequest, hasTexts: true },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access } = request;
    const pinned = await listPinnedIssues(forge, access, "pull");
    const items = await showAll(forge, viewOf(request), access, pinned.filter(isPullRequest));
    return { items, total: items.length };
  },
});

const repoGetPullRequest = endpoint({
  id: "repoGetPullRequest",
  ...byPullReaders,
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}",
  summary: "Get a pull request",
  status: 200,
  returns: { json: PullRequest },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const pull = await getPull(forge, access, params.index);
    return showPull(forge, viewOf(request), access, pull);
  },
});

const repoGetPullRequestByBaseHead = endpoint({
  id: "repoGetPullRequestByBaseHead",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{base}/{head}",
  summary: "Get the open pull request from a head into a base branch",
  description: "head is branch, owner:branch or owner/name:branch.",
  needs: readsPulls,
  slashed: "head",
  status: 200,
  returns: { json: PullRequest },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, actor, params } = request;
    const pull = await findPullBetween(forge, actor, access, params.base, params.head);
    return showPull(forge, viewOf(request), access, pull);
  },
});

const repoGetCommitPullRequest = endpoint({
  id: "repoGetCommitPullRequest",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/commits/{sha}/pull",
  summary: "Get the pull request that a commit merged",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  status: 200,
  returns: { json: PullRequest },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const pull = await getPullMergedBy(forge, access, params.sha);
    return showPull(forge, viewOf(request), access, pull);
  },
});

const repoEditPullRequest = endpoint({
  id: "repoEditPullRequest",
  ...bySignedInReaders,
  method: "patch",
  path: "/repos/{owner}/{repo}/pulls/{index}",
  summary: "Edit a pull request",
  thingRights: async ({ forge, access, params, actor }) => {
    await getPull(forge, access, params.index);
    await requireIssueEditable(forge, access, params.index, actor);
  },
  hasBareRefusal: true,
  body: EditPullRequestOption,
  status: 201, // as the family answers, although nothing is created
  returns: { json: PullRequest },
  errors: [401, 403, 404, 409, 412, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const pull = await editPull(forge, access, params.index, changesOf(body), actor);
    return showPull(forge, viewOf(request), access, pull);
  },
});

const repoPullRequestIsMerged = endpoint({
  id: "repoPullRequestIsMerged",
  ...byPullReaders,
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}/merge",
  summary: "Check whether a pull request is merged (D-CHECK)",
  status: 204,
  isCheck: true,
  errors: [403, 404],
  handle: async ({ forge, access, params }) => {
    const { pull } = await getPull(forge, access, params.index);
    return pull.merge === undefined ? no : undefined;
  },
});

/** Clients of generated structs send `assignee: ""` with every edit: unlike at issues, it says nothing here. */
function changesOf(body: EditPullRequestOptionJson): PullChanges {
  const { assignee, assignees } = body;
  const { title, body: text, base, state, labels, milestone, due_date, unset_due_date } = body;
  return {
    ...(title ? { title } : {}),
    ...(base ? { base } : {}),
    ...(state === undefined ? {} : { isClosed: state === "closed" }),
    ...(due_date === undefined ? {} : { dueAt: isUnset(due_date) ? 0 : endOfDay(due_date) }),
    ...(unset_due_date === true ? { dueAt: 0 } : {}),
    ...(milestone ? { milestoneId: milestone } : {}),
    ...defined({ body: text, labelIds: labels }),
    ...(assignee || assignees ? defined({ assignees: assigneesOf(body) }) : {}),
    ...defined({ allowsMaintainerEdit: body.allow_maintainer_edit }),
  };
}

export const pullEndpoints = [
  repoListPullRequests,
  repoCreatePullRequest,
  repoListPinnedPullRequests,
  repoGetPullRequest,
  repoGetPullRequestByBaseHead,
  repoGetCommitPullRequest,
  repoEditPullRequest,
  repoPullRequestIsMerged,
];
