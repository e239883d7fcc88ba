import { type CronTask, listCronTasks, requestCronTask } from "#core/cron-task/cron-task";
import { z } from "#zod";
import { pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { dateTime, timestamp, unsetTimestamp } from "../../http/timestamps.ts";

const Cron = z
  .object({
    name: z.string(),
    schedule: z.string(),
    next: dateTime,
    prev: dateTime.openapi({ description: "when it last got through; 0001-01-01T00:00:00Z: never yet" }),
    exec_times: z.int().openapi({ description: "how often it got through" }),
  })
  .openapi("Cron");

const presentCronTask = ({ name, everyMs, nextAt, lastAt, times }: CronTask): z.infer<typeof Cron> => ({
  name,
  schedule: `@every ${everyMs / 1000}s`,
  next: timestamp(Math.ceil(nextAt / 1000)),
  prev: lastAt === undefined ? unsetTimestamp : timestamp(Math.floor(lastAt / 1000)),
  exec_times: times,
});

const needs = { scope: ["admin"], siteAdmin: true } as const;

const adminCronList = endpoint({
  id: "adminCronList",
  tag: "admin",
  method: "get",
  path: "/admin/cron",
  summary: "List the cron tasks of the service",
  needs,
  status: 200,
  returns: { list: Cron },
  errors: [401, 403],
  handle: async ({ forge, page }) => pageOf((await listCronTasks(forge)).map(presentCronTask), page),
});

const adminCronRun = endpoint({
  id: "adminCronRun",
  tag: "admin",
  method: "post",
  path: "/admin/cron/{task}",
  summary: "Have one of these tasks done now",
  description: "It is queued: a worker does it within seconds.",
  needs,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, params }) => {
    await requestCronTask(forge, params.task);
    return undefined;
  },
});

export const cronTaskEndpoints = [adminCronList, adminCronRun];
