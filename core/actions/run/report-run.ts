import type { StatusState } from "../../commit-status/commit-status.table.ts";
import { createCommitStatus, newestStatuses } from "../../commit-status/commit-status.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { actionsUser } from "../../user/system-users.ts";
import type { Run, RunJob } from "../actions.table.ts";
import type { JobState } from "../job/job-states.ts";
import type { RunEvent } from "./run-events.ts";

const reported: readonly RunEvent[] = ["push", "pull_request", "pull_request_target", "release"];

const statusOf: Readonly<Record<JobState, readonly [state: StatusState, description: string]>> = {
  success: ["success", "has succeeded"],
  skipped: ["success", "was skipped"],
  failure: ["failure", "has failed"],
  cancelled: ["failure", "was cancelled"],
  waiting: ["pending", "waits for a runner"],
  running: ["pending", "is running"],
  blocked: ["pending", "waits for others"],
};

const longestContext = 255;

/** The name of a job's check (semantics §64.4). */
const statusContext = ({ workflowName, event }: Run, { name }: RunJob): string =>
  `${workflowName} / ${name} (${event})`.slice(0, longestContext);

/**
 * Reports the jobs of a run on its commit, as far as the newest reports say otherwise (semantics §64.4): may be
 * repeated. `runUrl` is the page of the run. A commit takes reports up to a bound; what is over it is left out.
 */
export async function reportRun(forge: Forge, run: Run, runUrl: string): Promise<void> {
  if (!reported.includes(run.event)) return;
  const { repositoryId, commitId, jobs } = run;
  const newest = new Map(
    (await newestStatuses(forge, repositoryId, commitId)).map(({ context, state }) => [context, state]),
  );
  for (const [at, job] of jobs.entries()) {
    const context = statusContext(run, job);
    const [state, description] = statusOf[job.state];
    if (newest.get(context) === state) continue;
    try {
      const report = { state, context, description, targetUrl: `${runUrl}/jobs/${at}` };
      await createCommitStatus(forge, repositoryId, commitId, { user: actionsUser }, report);
    } catch (error) {
      if (!isForgeError(error, "invalid")) throw error;
      forge.log.warn("actions:status-left-out", { repositoryId, run: run.number, error });
      return;
    }
  }
}
