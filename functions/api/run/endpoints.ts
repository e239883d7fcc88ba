import type { RepositoryAccess } from "#core/access/repository-access";
import type { Run } from "#core/actions/actions.table";
import { getAttempt } from "#core/actions/attempt/former-attempts";
import { hasFailed, rerunJobs } from "#core/actions/attempt/rerun";
import { cancelRun } from "#core/actions/job/end-job";
import { approveRun } from "#core/actions/run/approval";
import { removeRun } from "#core/actions/run/remove-run";
import { getRun } from "#core/actions/run/run";
import type { RunFilter } from "#core/actions/run/run.index";
import { isRunEvent } from "#core/actions/run/run-events";
import { listRuns } from "#core/actions/run/run-list";
import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { branchPrefix, tagPrefix } from "#core/git/refs/ref-name";
import { findUserByName } from "#core/user/find";
import type { Listing, Page } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { integer, text, words } from "../../http/query.ts";
import { ActionWorkflowRun, type ActionWorkflowRunJson } from "./schema.ts";
import { type RunRequest, showRun, showRuns } from "./show.ts";
import { statesOf } from "./state-filter.ts";

const ofRun = "/repos/{owner}/{repo}/actions/runs/{run}";
export const reading = { scope: ["repository"], repository: { mode: "read", unit: "actions" } } as const;
export const writing = {
  scope: ["repository"],
  login: true,
  repository: { mode: "write", unit: "actions" },
} as const;
export const listed = {
  list: ActionWorkflowRun,
  under: "workflow_runs",
  total: "total_count",
  named: "ActionWorkflowRunsResponse",
} as const;

/** What lists of runs may be asked for. */
export const runQuery = {
  event: words("only runs of these events"),
  status: words("only runs in these states, in the words of either family"),
  branch: text.openapi({ description: "only runs for this branch or tag" }),
  actor: text.openapi({ description: "only runs that this user caused" }),
  head_sha: text.openapi({ description: "only runs of this commit" }),
  run_number: integer.openapi({ description: "only the run of this number" }),
};

export interface RunQuery {
  readonly event?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  readonly branch?: string | undefined;
  readonly actor?: string | undefined;
  readonly head_sha?: string | undefined;
  readonly run_number?: number | undefined;
}

/** A page of the runs that a query asks for. */
export async function listing(
  request: RunRequest & { readonly page: Page; readonly query: RunQuery },
  more: RunFilter = {},
): Promise<Listing<ActionWorkflowRunJson>> {
  const { forge, access, page, query } = request;
  const filter = { ...more, ...(await filterOf(forge, query)) };
  const { items, total } = await listRuns(forge, access.repository.id, filter, page);
  return { items: await showRuns(request, items), total };
}

/** What a query filters; BadRequest for a state that nobody knows. */
export async function filterOf(forge: Forge, query: RunQuery): Promise<RunFilter> {
  const { event, status, branch, actor, head_sha: commitId, run_number: number } = query;
  const states = statesOf(status);
  const user = actor === undefined ? undefined : await findUserByName(forge, actor);
  return {
    ...(event && { events: event.filter(isRunEvent) }),
    ...(states && { states }),
    ...(branch === undefined ? {} : { refs: [branchPrefix + branch, tagPrefix + branch] }),
    ...(actor === undefined ? {} : { actorId: user?.id ?? 0 }),
    ...(commitId === undefined ? {} : { commitId: commitId.toLowerCase() }),
    ...(number === undefined ? {} : { number }),
  };
}

const runOf = ({ forge, access }: { forge: Forge; access: RepositoryAccess }, id: number): Promise<Run> =>
  getRun(forge, access.repository.id, id);

const listActionRuns = endpoint({
  id: "ListActionRuns",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/actions/runs",
  summary: "List the runs of a repository's workflows, the newest first",
  needs: reading,
  query: runQuery,
  status: 200,
  returns: { ...listed, named: "ListRepoActionRunResponse" },
  errors: [400, 403, 404, 422],
  handle: (request) => listing(request),
});

const actionRun = endpoint({
  id: "ActionRun",
  tag: "repository",
  method: "get",
  path: ofRun,
  summary: "Get a run",
  needs: reading,
  status: 200,
  returns: { json: ActionWorkflowRun },
  errors: [403, 404],
  handle: async (request) => showRun(request, await runOf(request, request.params.run)),
});

const getWorkflowRunAttempt = endpoint({
  id: "getWorkflowRunAttempt",
  tag: "repository",
  method: "get",
  path: `${ofRun}/attempts/{attempt}`,
  summary: "Get an attempt at a run",
  needs: reading,
  status: 200,
  returns: { json: ActionWorkflowRun },
  errors: [403, 404],
  handle: async (request) => {
    const run = await runOf(request, request.params.run);
    return showRun(request, await getAttempt(request.forge, run, request.params.attempt));
  },
});

const deleteActionRun = endpoint({
  id: "deleteActionRun",
  tag: "repository",
  method: "delete",
  path: ofRun,
  summary: "Delete a run that is over, with its logs and artifacts",
  needs: writing,
  status: 204,
  errors: [400, 401, 403, 404, 409],
  handle: async (request) => {
    await removeRun(request.forge, await runOf(request, request.params.run));
    return undefined;
  },
});

const rerunWorkflowRun = endpoint({
  id: "rerunWorkflowRun",
  tag: "repository",
  method: "post",
  path: `${ofRun}/rerun`,
  summary: "Run all jobs of a run again, as another attempt",
  needs: writing,
  refusesArchived: true,
  status: 201,
  returns: { json: ActionWorkflowRun },
  errors: [400, 401, 403, 404, 409, 423],
  handle: async (request) => {
    const run = await runOf(request, request.params.run);
    return showRun(request, await rerunJobs(request.forge, run, () => true));
  },
});

const rerunFailedWorkflowRun = endpoint({
  id: "rerunFailedWorkflowRun",
  tag: "repository",
  method: "post",
  path: `${ofRun}/rerun-failed-jobs`,
  summary: "Run the jobs of a run that did not succeed again, and those that need them",
  needs: writing,
  refusesArchived: true,
  status: 201,
  errors: [400, 401, 403, 404, 409, 423],
  handle: async (request) => {
    await rerunJobs(request.forge, await runOf(request, request.params.run), hasFailed);
    return undefined;
  },
});

const cancelWorkflowRun = endpoint({
  id: "cancelWorkflowRun",
  tag: "repository",
  method: "post",
  path: `${ofRun}/cancel`,
  summary: "Cancel what of a run is not over yet",
  needs: writing,
  status: 200,
  returns: { json: ActionWorkflowRun },
  errors: [401, 403, 404, 409],
  handle: async (request) => {
    const run = await runOf(request, request.params.run);
    return showRun(request, (await cancelRun(request.forge, run)) ?? run);
  },
});

const approveWorkflowRun = endpoint({
  id: "approveWorkflowRun",
  tag: "repository",
  method: "post",
  path: `${ofRun}/approve`,
  summary: "Allow a run of somebody else's code to start, and their later ones",
  needs: writing,
  refusesArchived: true,
  status: 200,
  returns: { json: ActionWorkflowRun },
  errors: [400, 401, 403, 404, 409, 423],
  handle: async (request) => {
    const run = await runOf(request, request.params.run);
    const approved = await approveRun(request.forge, run);
    if (approved === undefined) throw notFound("the repository was deleted meanwhile");
    return showRun(request, approved);
  },
});

export const runEndpoints = [
  listActionRuns,
  actionRun,
  getWorkflowRunAttempt,
  deleteActionRun,
  rerunWorkflowRun,
  rerunFailedWorkflowRun,
  cancelWorkflowRun,
  approveWorkflowRun,
];
