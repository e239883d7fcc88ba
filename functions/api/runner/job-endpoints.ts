import { jobId } from "#core/actions/actions.table";
import type { ActionsPlace } from "#core/actions/place";
import { type JobOfRun, listWaitingJobs } from "#core/runner/waiting-jobs";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { texts } from "../../http/query.ts";
import { adminSite, organizationSite, repositorySite, type Site, userSite } from "../actions/sites.ts";
import { ActionRunJob, type ActionRunJobJson } from "./schema.ts";

const presentJob = ({ run, job }: JobOfRun): ActionRunJobJson => {
  const id = jobId(run.repositoryId, job.number);
  return {
    id,
    ...{ repo_id: run.repositoryId, owner_id: run.ownerId, name: job.name, attempt: job.attempt },
    ...{ needs: [...job.needs], runs_on: [...job.runsOn], status: job.state },
    task_id: job.state === "running" ? id : 0,
  };
};

/** The jobs that wait for the runners of one kind of place (semantics §63.2). */
function jobSearch<N extends Needs, Place extends ActionsPlace>(
  { tag, of, needs, placeOf, ...site }: Site<N, Place>,
  id: string,
  base: string = site.base,
): Endpoint {
  return endpoint({
    ...{ id, tag, needs, path: `${base}/runners/jobs` },
    method: "get",
    summary: `List the jobs that wait for runners of ${of}`,
    description: "Those of the hundred longest waiting runs, with what runs of these already.",
    query: {
      labels: texts.openapi({ description: "labels of a runner: jobs that want others are left out" }),
    },
    status: 200,
    returns: { list: ActionRunJob },
    errors: [401, 403, 404],
    handle: async (request) => {
      const { forge, query, page } = request;
      const jobs = await listWaitingJobs(forge, placeOf(request), query.labels ?? []);
      return wholeUnlessAsked(jobs.map(presentJob), page);
    },
  });
}

export const runnerJobEndpoints = [
  jobSearch(repositorySite, "repoSearchRunJobs"),
  jobSearch(organizationSite, "orgSearchRunJobs"),
  jobSearch(userSite, "userSearchRunJobs"),
  jobSearch(adminSite, "adminGetActionRunJobs"),
  jobSearch(adminSite, "adminSearchRunJobs", "/admin"),
];
