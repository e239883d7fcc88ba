import { numberInRepository } from "#core/actions/actions.table";
import { getAttempt } from "#core/actions/attempt/former-attempts";
import { rerunJobs } from "#core/actions/attempt/rerun";
import { listJobs } from "#core/actions/job/job-list";
import { isLogExpired, readLog } from "#core/actions/log/log";
import { findJobOfNumber, findTask, getRun } from "#core/actions/run/run";
import { jobsOf, type ShownJob, withTasks } from "#core/actions/run/run-list";
import { notFound } from "#core/errors";
import { type Listing, type Page, pageOf } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { reading, writing } from "./endpoints.ts";
import { isOldestFirst, jobQuery, listedJobs, orderQuery } from "./job-query.ts";
import { presentJob, presentTask } from "./present.ts";
import { ActionTaskResponse, ActionWorkflowJob, type ActionWorkflowJobJson } from "./schema.ts";
import type { RunRequest } from "./show.ts";
import { statesOf } from "./state-filter.ts";

const actions = "/repos/{owner}/{repo}/actions";
const presented = (request: RunRequest, jobs: readonly ShownJob[]): ActionWorkflowJobJson[] =>
  jobs.map((job) => presentJob(viewOf(request), request.access, job));

/** A page of the jobs of one attempt at a run. */
async function pageOfJobs(
  request: RunRequest & { readonly page: Page },
  jobs: readonly ShownJob[],
): Promise<Listing<ActionWorkflowJobJson>> {
  const { items, total } = pageOf(jobs, request.page);
  return { items: presented(request, await withTasks(request.forge, items)), total };
}

/** A job by its id, with its task. NotFound for one of another repository. */
async function getJob({ forge, access }: RunRequest, id: number): Promise<ShownJob> {
  const repositoryId = access.repository.id;
  const number = numberInRepository(repositoryId, id);
  const placed = number === undefined ? undefined : await findJobOfNumber(forge, repositoryId, number);
  if (placed === undefined) throw notFound(`job does not exist [id: ${id}]`);
  const run = await getAttempt(
    forge,
    placed.run,
    placed.job === undefined ? placed.attempt : placed.run.attempt,
  );
  const found = jobsOf(run).find(({ job }) => job.number === number);
  if (found === undefined) throw notFound(`job does not exist [id: ${id}]`);
  const [shown] = await withTasks(forge, [found]);
  return shown as ShownJob;
}

const listActionTasks = endpoint({
  id: "ListActionTasks",
  tag: "repository",
  method: "get",
  path: `${actions}/tasks`,
  summary: "List the jobs of a repository's runs, the newest first, also those that wait for a runner",
  needs: reading,
  query: {},
  status: 200,
  pagedBy: "page and limit",
  returns: { json: ActionTaskResponse },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, page } = request;
    const { items, total } = await listJobs(forge, [access.repository.id], {}, page);
    const rows = items.map((job) => presentTask(viewOf(request), access, job));
    return new Reply(
      { workflow_runs: rows, total_count: total },
      { headers: { "x-total-count": String(total) } },
    );
  },
});

const listWorkflowJobs = endpoint({
  id: "listWorkflowJobs",
  tag: "repository",
  method: "get",
  path: `${actions}/jobs`,
  summary: "List the jobs of a repository's runs, those of the newest run first",
  needs: reading,
  query: { ...jobQuery, ...orderQuery },
  status: 200,
  returns: listedJobs,
  errors: [400, 403, 404, 422],
  handle: async (request) => {
    const { forge, access, page, query } = request;
    const asked = { states: statesOf(query.status), isOldestFirst: isOldestFirst(query) };
    const { items, total } = await listJobs(forge, [access.repository.id], asked, page);
    return { items: presented(request, items), total };
  },
});

const listWorkflowRunJobs = endpoint({
  id: "listWorkflowRunJobs",
  tag: "repository",
  method: "get",
  path: `${actions}/runs/{run}/jobs`,
  summary: "List the jobs of a run, in the order of its file",
  needs: reading,
  query: { ...jobQuery, ...orderQuery },
  status: 200,
  returns: listedJobs,
  errors: [400, 403, 404, 422],
  handle: async (request) => {
    const { forge, access, params, query } = request;
    const run = await getRun(forge, access.repository.id, params.run);
    const jobs = jobsOf(run, statesOf(query.status));
    return pageOfJobs(request, isOldestFirst(query, true) ? jobs : jobs.reverse());
  },
});

const listWorkflowRunAttemptJobs = endpoint({
  id: "listWorkflowRunAttemptJobs",
  tag: "repository",
  method: "get",
  path: `${actions}/runs/{run}/attempts/{attempt}/jobs`,
  summary: "List the jobs of an attempt at a run, in the order of its file",
  needs: reading,
  query: jobQuery,
  status: 200,
  returns: listedJobs,
  errors: [400, 403, 404],
  handle: async (request) => {
    const { forge, access, params, query } = request;
    const run = await getRun(forge, access.repository.id, params.run);
    const attempt = await getAttempt(forge, run, params.attempt);
    return pageOfJobs(request, jobsOf(attempt, statesOf(query.status)));
  },
});

const getWorkflowJob = endpoint({
  id: "getWorkflowJob",
  tag: "repository",
  method: "get",
  path: `${actions}/jobs/{job_id}`,
  summary: "Get a job",
  needs: reading,
  status: 200,
  returns: { json: ActionWorkflowJob },
  errors: [403, 404],
  handle: async (request) => {
    const [job] = presented(request, [await getJob(request, request.params.job_id)]);
    return job as ActionWorkflowJobJson;
  },
});

const downloadActionsRunJobLogs = endpoint({
  id: "downloadActionsRunJobLogs",
  tag: "repository",
  method: "get",
  path: `${actions}/jobs/{job_id}/logs`,
  summary: "Get the log of a job, as far as it has come",
  needs: reading,
  status: 200,
  returns: { file: true },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const { job } = await getJob(request, params.job_id);
    const repositoryId = access.repository.id;
    const task = await findTask(forge, repositoryId, job.number);
    if (task === undefined) throw notFound("no runner has taken the job: it has no log");
    if (isLogExpired(task)) throw notFound("the log was removed: its time is over");
    return {
      sizeBytes: task.logBytes,
      contentType: "text/plain; charset=utf-8",
      etag: `log-${job.number}-${task.logLines}`,
      read: () => readLog(forge, repositoryId, task),
    };
  },
});

const rerunWorkflowJob = endpoint({
  id: "rerunWorkflowJob",
  tag: "repository",
  method: "post",
  path: `${actions}/runs/{run}/jobs/{job_id}/rerun`,
  summary: "Run a job of a run again, and those that need it",
  needs: writing,
  refusesArchived: true,
  status: 201,
  returns: { json: ActionWorkflowJob },
  errors: [400, 401, 403, 404, 409, 423],
  handle: async (request) => {
    const { forge, access, params } = request;
    const run = await getRun(forge, access.repository.id, params.run);
    const number = numberInRepository(access.repository.id, params.job_id);
    const at = run.jobs.findIndex((one) => one.number === number);
    if (at < 0) throw notFound(`job does not exist [id: ${params.job_id}]`);
    const after = await rerunJobs(forge, run, (one) => one.number === number);
    const [job] = presented(request, jobsOf(after).slice(at, at + 1));
    return job as ActionWorkflowJobJson;
  },
});

export const runJobEndpoints = [
  listActionTasks,
  listWorkflowJobs,
  listWorkflowRunJobs,
  listWorkflowRunAttemptJobs,
  getWorkflowJob,
  downloadActionsRunJobLogs,
  rerunWorkflowJob,
];
