import { durationText } from "#core/duration";
import {
  discardStopwatch,
  findRunningStopwatches,
  startStopwatch,
  stopStopwatch,
} from "#core/stopwatch/stopwatch";
import { z } from "#zod";
import { pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { dateTime, timestamp } from "../../http/timestamps.ts";
import { readsIssuesSignedIn } from "../issue/needs.ts";

const StopWatch = z
  .object({
    created: dateTime,
    seconds: z.int(),
    duration: z.string().openapi({ description: "for instance 1h 5m 3s" }),
    issue_index: z.int(),
    issue_title: z.string(),
    repo_owner_name: z.string(),
    repo_name: z.string(),
  })
  .openapi("StopWatch");

const common = {
  tag: "issue",
  needs: readsIssuesSignedIn,
  hasBareRefusal: true,
  errors: [401, 403, 404, 409],
} as const;

const issueStartStopWatch = endpoint({
  ...common,
  id: "issueStartStopWatch",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/stopwatch/start",
  summary: "Start the caller's stopwatch on an issue",
  description: "One that runs on another issue is stopped and its time booked.",
  status: 201,
  handle: async ({ forge, access, actor, params }) => {
    await startStopwatch(forge, access, params.index, actor);
    return undefined;
  },
});

const issueStopStopWatch = endpoint({
  ...common,
  id: "issueStopStopWatch",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/stopwatch/stop",
  summary: "Stop the caller's stopwatch on an issue and book its time",
  status: 201,
  handle: async ({ forge, access, actor, params }) => {
    await stopStopwatch(forge, access, params.index, actor);
    return undefined;
  },
});

const issueDeleteStopWatch = endpoint({
  ...common,
  id: "issueDeleteStopWatch",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/stopwatch/delete",
  summary: "End the caller's stopwatch on an issue without booking anything",
  status: 204,
  handle: async ({ forge, access, actor, params }) => {
    await discardStopwatch(forge, access, params.index, actor);
    return undefined;
  },
});

const userGetStopWatches = endpoint({
  id: "userGetStopWatches",
  tag: "user",
  method: "get",
  path: "/user/stopwatches",
  summary: "List the caller's stopwatch, if one runs",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { list: StopWatch },
  errors: [401, 403],
  handle: async ({ forge, actor, page }) => {
    const running = await findRunningStopwatches(forge, actor);
    if (running === undefined) return { items: [], total: 0 };
    const { stopwatch, seconds, issue, access } = running;
    const shown = {
      created: timestamp(stopwatch.startedAt),
      seconds,
      duration: durationText(seconds),
      issue_index: issue.number,
      issue_title: issue.title,
      repo_owner_name: access.owner.name,
      repo_name: access.repository.name,
    };
    return pageOf([shown], page);
  },
});

export const stopwatchEndpoints = [
  issueStartStopWatch,
  issueStopStopWatch,
  issueDeleteStopWatch,
  userGetStopWatches,
];
