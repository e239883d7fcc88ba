import type { Actor } from "#core/actor";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { addTime, removeTime, resetTimes } from "#core/tracked-time/change";
import {
  listOwnTimes,
  listTimesOfIssue,
  listTimesOfRepository,
  listTimesOfUserIn,
  type TimeListing,
} from "#core/tracked-time/list";
import { requireTrackable } from "#core/tracked-time/rights";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text, time } from "../../http/query.ts";
import { secondsFrom } from "../../http/timestamps.ts";
import { readsIssuesSignedIn } from "../issue/needs.ts";
import { AddTimeOption, TrackedTime, type TrackedTimeJson } from "./schema.ts";
import { showTimes } from "./show.ts";

const ofIssue = {
  tag: "issue",
  needs: readsIssuesSignedIn,
} as const;
const ofRepository = {
  tag: "repository",
  needs: { scope: ["repository"], login: true, repository: { mode: "read", unit: "issues" } },
} as const;

const within = { since: time, before: time };
const filters = {
  user: text.openapi({ description: "a user's name: others' times are for writers" }),
  ...within,
};

/** A page in the answer's form. */
async function shown(
  request: { forge: Forge; actor: Actor },
  listed: Promise<TimeListing>,
): Promise<{ items: TrackedTimeJson[]; total: number }> {
  const { items, total } = await listed;
  return { items: await showTimes(request.forge, viewOf(request), items), total };
}

const issueTrackedTimes = endpoint({
  ...ofIssue,
  id: "issueTrackedTimes",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/times",
  originalNames: { index: "repo" },
  summary: "List the times tracked on an issue",
  description: "Callers who may not write issues see only their own.",
  query: filters,
  status: 200,
  returns: { list: TrackedTime, hasTexts: true },
  errors: [401, 403, 404, 422],
  handle: (request) => {
    const { forge, access, actor, params, page } = request;
    const asked = { ...page, ...defined(request.query) };
    return shown(request, listTimesOfIssue(forge, access, params.index, asked, actor));
  },
});

const issueAddTime = endpoint({
  ...ofIssue,
  id: "issueAddTime",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/times",
  originalNames: { index: "id" },
  summary: "Track time on an issue",
  thingRights: ({ forge, access, params, actor }) => requireTrackable(forge, access, params.index, actor),
  body: AddTimeOption,
  status: 200,
  returns: { json: TrackedTime },
  errors: [400, 401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const given = {
      seconds: body.time,
      ...(body.created === undefined ? {} : { createdAt: secondsFrom(body.created) }),
      ...defined({ userName: body.user_name || undefined }),
    };
    const booked = await addTime(forge, access, params.index, given, actor);
    const [json] = await showTimes(forge, viewOf(request), [{ ...booked, access }]);
    return json as TrackedTimeJson;
  },
});

const issueResetTime = endpoint({
  ...ofIssue,
  id: "issueResetTime",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/times",
  summary: "Remove all time that the caller has tracked on an issue",
  status: 204,
  errors: [400, 401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    await resetTimes(forge, access, params.index, actor);
    return undefined;
  },
});

const issueDeleteTime = endpoint({
  ...ofIssue,
  id: "issueDeleteTime",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/times/{id}",
  summary: "Remove a tracked time of one's own",
  status: 204,
  errors: [400, 401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    await removeTime(forge, access, params.index, params.id, actor);
    return undefined;
  },
});

const repoTrackedTimes = endpoint({
  ...ofRepository,
  id: "repoTrackedTimes",
  method: "get",
  path: "/repos/{owner}/{repo}/times",
  summary: "List the times tracked in a repository",
  description: "Callers who may not write issues see only their own.",
  query: filters,
  status: 200,
  returns: { list: TrackedTime, hasTexts: true },
  errors: [400, 401, 403, 404, 422],
  handle: (request) => {
    const { forge, access, actor, page } = request;
    const asked = { ...page, ...defined(request.query) };
    return shown(request, listTimesOfRepository(forge, access, asked, actor));
  },
});

const userTrackedTimes = endpoint({
  ...ofRepository,
  id: "userTrackedTimes",
  method: "get",
  path: "/repos/{owner}/{repo}/times/{user}",
  summary: "List the times that a user has tracked in a repository",
  isDeprecated: true,
  query: within,
  status: 200,
  returns: { list: TrackedTime, hasTexts: true },
  errors: [400, 401, 403, 404, 422],
  handle: (request) => {
    const { forge, access, actor, params, page } = request;
    const asked = { ...page, ...defined(request.query), user: params.user };
    return shown(request, listTimesOfUserIn(forge, access, asked, actor));
  },
});

const userCurrentTrackedTimes = endpoint({
  id: "userCurrentTrackedTimes",
  tag: "user",
  method: "get",
  path: "/user/times",
  summary: "List the times that the caller has tracked",
  description: "In repositories that the caller may still read.",
  needs: { scope: ["user"], login: true },
  query: within,
  status: 200,
  returns: { list: TrackedTime, hasTexts: true },
  errors: [401, 403, 422],
  handle: (request) => {
    const { forge, actor, page } = request;
    return shown(request, listOwnTimes(forge, { ...page, ...defined(request.query) }, actor));
  },
});

export const trackedTimeEndpoints = [
  issueTrackedTimes,
  issueAddTime,
  issueResetTime,
  issueDeleteTime,
  repoTrackedTimes,
  userTrackedTimes,
  userCurrentTrackedTimes,
];
