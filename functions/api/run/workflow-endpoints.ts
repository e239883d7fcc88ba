import { dispatchWorkflow } from "#core/actions/run/dispatch";
import { disabledWorkflows, switchWorkflow } from "#core/actions/schedule/disabled-workflows";
import { findWorkflow, findWorkflows, type WorkflowFile } from "#core/actions/workflow/find-workflows";
import { type Code, findCommit, openCode } from "#core/code/open";
import { notFound } from "#core/errors";
import type { ObjectId } from "#core/git/format/object-format";
import { repositoryDetailsOf } from "#core/repository/details";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import { pageOf } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag } from "../../http/query.ts";
import { timestamp } from "../../http/timestamps.ts";
import { presentRepository } from "../repository/present.ts";
import { presentUser } from "../user/present.ts";
import { listed, listing, reading, runQuery, writing } from "./endpoints.ts";
import { presentDispatched } from "./present.ts";
import {
  ActionWorkflow,
  type ActionWorkflowJson,
  DispatchWorkflowOption,
  DispatchWorkflowRun,
} from "./schema.ts";
import type { RunRequest } from "./show.ts";

const ofWorkflow = "/repos/{owner}/{repo}/actions/workflows/{workflow_id}";

/** The default branch of a repository; undefined before the first push. */
async function openDefault({
  forge,
  access,
}: RunRequest): Promise<{ readonly code: Code; readonly commitId: ObjectId } | undefined> {
  const code = await openCode(forge, access.repository.id);
  const commit = await findCommit(code, undefined);
  return commit === undefined ? undefined : { code, commitId: commit.id };
}

/** The workflow of this name in the default branch. NotFound when there is none. */
async function getWorkflow(request: RunRequest, name: string): Promise<WorkflowFile> {
  const opened = await openDefault(request);
  const file = opened && (await findWorkflow(request.forge, opened.code, opened.commitId, name));
  if (file === undefined) throw notFound(`workflow does not exist [id: ${name}]`);
  return file;
}

function presentWorkflow(
  { forge: { config }, access: { owner, repository } }: RunRequest,
  { name, path, reading }: WorkflowFile,
  disabled: readonly string[],
): ActionWorkflowJson {
  const place = [owner.name, repository.name] as const;
  return {
    id: name,
    name: ("workflow" in reading ? reading.workflow.name : "") || name,
    path,
    state: disabled.includes(name) ? "disabled_manually" : "active",
    ...("problem" in reading ? { problem: reading.problem } : {}),
    created_at: timestamp(repository.createdAt),
    updated_at: timestamp(repository.updatedAt),
    url: apiLinkTo(config, "repos", ...place, "actions", "workflows", name),
    html_url: linkTo(config, ...place, "src", "branch", repository.defaultBranch, ...path.split("/")),
    badge_url: linkTo(config, ...place, "actions", "workflows", name, "badge.svg"),
  };
}

const actionsListRepositoryWorkflows = endpoint({
  id: "ActionsListRepositoryWorkflows",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/actions/workflows",
  summary: "List the workflows in the default branch, and why files can't be read",
  needs: reading,
  status: 200,
  returns: {
    list: ActionWorkflow,
    under: "workflows",
    total: "total_count",
    named: "ActionWorkflowResponse",
  },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, page } = request;
    const opened = await openDefault(request);
    if (opened === undefined) return { items: [], total: 0 };
    const [files, disabled] = await Promise.all([
      findWorkflows(forge, opened.code, opened.commitId),
      disabledWorkflows(forge, access.repository.id),
    ]);
    return pageOf(
      files.map((file) => presentWorkflow(request, file, disabled)),
      page,
    );
  },
});

const actionsGetWorkflow = endpoint({
  id: "ActionsGetWorkflow",
  tag: "repository",
  method: "get",
  path: ofWorkflow,
  summary: "Get a workflow of the default branch by the name of its file",
  slashed: "workflow_id",
  needs: reading,
  status: 200,
  returns: { json: ActionWorkflow },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const file = await getWorkflow(request, params.workflow_id);
    return presentWorkflow(request, file, await disabledWorkflows(forge, access.repository.id));
  },
});

const switching = (isOn: boolean) =>
  endpoint({
    id: isOn ? "ActionsEnableWorkflow" : "ActionsDisableWorkflow",
    tag: "repository",
    method: "put",
    path: `${ofWorkflow}/${isOn ? "enable" : "disable"}` as `${typeof ofWorkflow}/enable`,
    summary: isOn ? "Switch a workflow on again" : "Switch a workflow off: no event starts it",
    slashed: "workflow_id",
    needs: writing,
    status: 204,
    errors: isOn ? [401, 403, 404, 409] : [401, 403, 404, 409, 422],
    handle: async (request) => {
      const { name } = await getWorkflow(request, request.params.workflow_id);
      await switchWorkflow(request.forge, request.access.repository.id, name, isOn);
      return undefined;
    },
  });

const actionsListWorkflowRuns = endpoint({
  id: "ActionsListWorkflowRuns",
  tag: "repository",
  method: "get",
  path: `${ofWorkflow}/runs`,
  summary: "List the runs of a workflow, the newest first",
  slashed: "workflow_id",
  needs: reading,
  query: runQuery,
  status: 200,
  returns: listed,
  errors: [400, 403, 404, 422],
  handle: async (request) => {
    const { workflow_id: workflow } = request.params;
    const found = await listing(request, { workflow });
    // A workflow whose file is gone has its runs.
    if (found.total === 0) await getWorkflow(request, workflow);
    return found;
  },
});

const dispatch = endpoint({
  id: "DispatchWorkflow",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
  summary: "Run a workflow that is to be asked for, with inputs",
  slashed: "workflow_id",
  needs: writing,
  refusesArchived: true,
  query: { return_run_details: flag.openapi({ description: "200 with the run, in place of 204" }) },
  body: DispatchWorkflowOption,
  status: 201,
  returns: { json: DispatchWorkflowRun },
  otherStatus: 200,
  otherReturns: { status: 204 },
  errors: [400, 401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, params, query, body } = request;
    const { owner, repository } = access;
    const view = viewOf(request);
    const shown = presentRepository(view, await repositoryDetailsOf(forge, access));
    const run = await dispatchWorkflow(forge, repository, actor, {
      ...{ workflow: params.workflow_id, ref: body.ref, inputs: body.inputs ?? {}, ownerName: owner.name },
      payloadOf: (inputs, ref, workflow) => ({
        ...{ inputs, ref, workflow, repository: shown },
        sender: presentUser(view, actor.user),
      }),
    });
    if (body.return_run_info === true) return presentDispatched(view, access, run);
    if (query.return_run_details !== true) return new Reply(undefined as never, { status: 204 });
    return new Reply(presentDispatched(view, access, run), { status: 200 });
  },
});

export const workflowEndpoints = [
  actionsListRepositoryWorkflows,
  switching(true),
  switching(false),
  actionsListWorkflowRuns,
  dispatch,
  actionsGetWorkflow,
];
