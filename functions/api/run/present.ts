import type { Run } from "#core/actions/actions.table";
import { jobId } from "#core/actions/actions.table";
import { isOver, type JobState } from "#core/actions/job/job-states";
import { shownSteps } from "#core/actions/job/shown-steps";
import type { ShownJob } from "#core/actions/run/run-list";
import type { Config } from "#core/config";
import { branchPrefix, tagPrefix } from "#core/git/refs/ref-name";
import type { User } from "#core/user/user.table";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import type { Place } from "../commit/present.ts";
import type { RepositoryJson } from "../repository/schema.ts";
import { presentUser } from "../user/present.ts";
import type {
  ActionTaskJson,
  ActionWorkflowJobJson,
  ActionWorkflowRunJson,
  DispatchWorkflowRunJson,
} from "./schema.ts";

/** A time that may not have come yet. */
const timeOrNull = (seconds: number): string | null => (seconds === 0 ? null : timestamp(seconds));
const conclusionOf = (state: JobState): string => (isOver(state) ? state : "");

const pageOf = (config: Config, { owner, repository }: Place, run: Run): string =>
  linkTo(config, owner.name, repository.name, "actions", "runs", run.number);
const apiOf = (config: Config, { owner, repository }: Place, ...segments: (string | number)[]): string =>
  apiLinkTo(config, "repos", owner.name, repository.name, "actions", ...segments);

/** The branch or tag of a run, short; of a pull request its head branch. */
function headBranchOf({ ref, headRef }: Run): string {
  const prefix = [branchPrefix, tagPrefix].find((one) => ref.startsWith(one));
  return headRef ?? (prefix === undefined ? ref : ref.slice(prefix.length));
}

/** A run, in the words of both families (D-RUNS). */
export function presentRun(
  view: View,
  place: Place,
  run: Run,
  { actor, repository }: { readonly actor: User; readonly repository: RepositoryJson },
): ActionWorkflowRunJson {
  const { id, number, title, event, state, commitId, workflow, workflowPath, attempt, problem } = run;
  const { config } = view;
  const url = pageOf(config, place, run);
  const user = presentUser(view, actor);
  return {
    ...{ id, name: title, display_title: title, run_number: number, run_attempt: attempt, event },
    ...{ status: state, conclusion: conclusionOf(state) },
    ...{ head_branch: headBranchOf(run), head_sha: commitId, workflow_id: workflow },
    ...{ path: `${workflowPath}@${run.ref}`, url, html_url: url },
    previous_attempt_url: attempt > 1 ? apiOf(config, place, "runs", id, "attempts", attempt - 1) : null,
    ...{ triggering_actor: user, trigger_actor: user, actor: user },
    ...{ repository_id: run.repositoryId, repository, head_repository: repository, pull_requests: [] },
    ...(problem === undefined ? {} : { problem }),
    needs_approval: run.needsApproval === true,
    created_at: timestamp(run.createdAt),
    updated_at: timestamp(run.updatedAt),
    started_at: timeOrNull(run.startedAt),
    completed_at: timeOrNull(run.stoppedAt),
  };
}

/** A run that somebody has just asked for, in the words of both families (semantics §63.4). */
export const presentDispatched = ({ config }: View, place: Place, run: Run): DispatchWorkflowRunJson => ({
  ...{ id: run.id, run_number: run.number, jobs: [...new Set(run.jobs.map(({ key }) => key))] },
  ...{ workflow_run_id: run.id, run_url: apiOf(config, place, "runs", run.id) },
  html_url: pageOf(config, place, run),
});

/** A job with the steps that its runner has told of. */
export function presentJob(
  { config }: View,
  place: Place,
  { run, job, at, task }: ShownJob,
): ActionWorkflowJobJson {
  const id = jobId(run.repositoryId, job.number);
  return {
    ...{ id, name: job.name, labels: [...job.runsOn] },
    url: apiOf(config, place, "jobs", id),
    html_url: `${pageOf(config, place, run)}/jobs/${at}`,
    ...{ run_id: run.id, run_url: apiOf(config, place, "runs", run.id), run_attempt: job.attempt },
    ...{ head_sha: run.commitId, head_branch: headBranchOf(run) },
    ...{ status: job.state, conclusion: conclusionOf(job.state) },
    ...{ runner_id: job.runnerId ?? 0, runner_name: task?.runnerName ?? "" },
    steps: (task === undefined ? [] : shownSteps(task, job)).map(
      ({ name, state, startedAt, stoppedAt }, at) => ({
        ...{ number: at + 1, name, status: state, conclusion: conclusionOf(state) },
        ...{ started_at: timeOrNull(startedAt), completed_at: timeOrNull(stoppedAt) },
      }),
    ),
    created_at: timestamp(run.createdAt),
    started_at: timeOrNull(job.startedAt),
    completed_at: timeOrNull(job.stoppedAt),
  };
}

/** A job as a task: also one that no runner has taken yet (semantics §11.4). */
export function presentTask({ config }: View, place: Place, { run, job }: ShownJob): ActionTaskJson {
  return {
    ...{ id: jobId(run.repositoryId, job.number), name: job.name, status: job.state },
    ...{ head_branch: headBranchOf(run), head_sha: run.commitId, run_number: run.number },
    ...{ event: run.event, display_title: run.title, workflow_id: run.workflow },
    url: pageOf(config, place, run),
    created_at: timestamp(run.createdAt),
    updated_at: timestamp(Math.max(run.createdAt, job.startedAt, job.stoppedAt)),
    run_started_at: timeOrNull(job.startedAt),
  };
}
