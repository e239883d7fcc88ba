import { listJobsAcross, listRunsAcross } from "#core/actions/run/runs-across";
import { viewOf } from "../../http/answer/view.ts";
import { type Endpoint, endpoint, type Tag } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import type { Loaded } from "../actions/sites.ts";
import { filterOf, listed, runQuery } from "./endpoints.ts";
import { isOldestFirst, jobQuery, listedJobs, orderQuery } from "./job-query.ts";
import { presentJob } from "./present.ts";
import { showRunsOf } from "./show.ts";
import { statesOf } from "./state-filter.ts";

/** Repositories whose runs are listed together. A token needs the scope of repositories, too: private ones are among them. */
interface Repositories<N extends Needs> {
  readonly tag: Tag;
  readonly base: string;
  readonly of: string;
  readonly needs: N;
  /** Whose repositories they are; undefined for all. */
  readonly ownerOf: (request: Loaded<N>) => number | undefined;
}

const { run_number: _, ...query } = runQuery;
const description =
  "Those of repositories whose Actions the caller may read. Of more than 200 repositories with runs only the last updated count, and X-Total-Count-Exact is false; also when it took too long.";

/** The lists of runs and of jobs of several repositories. */
function acrossEndpoints<const N extends Needs>(
  { tag, base, of, needs, ownerOf }: Repositories<N>,
  ids: { readonly runs: string; readonly jobs: string },
): Endpoint[] {
  const runs = endpoint({
    ...{ id: ids.runs, tag, path: `${base}/runs`, needs, description },
    method: "get",
    summary: `List the runs of ${of}, the newest first`,
    cost: "heavy",
    query,
    status: 200,
    returns: listed,
    errors: [400, 401, 403, 404],
    handle: async (request) => {
      const { forge, actor, page } = request;
      const filter = await filterOf(forge, request.query);
      const { items, repositories, ...rest } = await listRunsAcross(
        ...([forge, actor, ownerOf(request), filter, page] as const),
      );
      return { items: await showRunsOf(request, items, repositories), ...rest };
    },
  });
  const jobs = endpoint({
    ...{ id: ids.jobs, tag, path: `${base}/jobs`, needs, description },
    method: "get",
    summary: `List the jobs of the runs of ${of}, those of the newest run first`,
    cost: "heavy",
    query: { ...jobQuery, ...orderQuery },
    status: 200,
    returns: listedJobs,
    errors: [400, 401, 403, 404, 422],
    handle: async (request) => {
      const { forge, actor, page } = request;
      const asked = { states: statesOf(request.query.status), isOldestFirst: isOldestFirst(request.query) };
      const { items, repositories, ...rest } = await listJobsAcross(
        ...([forge, actor, ownerOf(request), asked, page] as const),
      );
      const view = viewOf(request);
      const shown = items.flatMap((job) => {
        const place = repositories.get(job.run.repositoryId);
        return place === undefined ? [] : [presentJob(view, place, job)];
      });
      return { items: shown, ...rest };
    },
  });
  return [runs, jobs];
}

export const runsAcrossEndpoints: readonly Endpoint[] = [
  ...acrossEndpoints(
    {
      ...{ tag: "organization", base: "/orgs/{org}/actions", of: "an organization's repositories" },
      needs: { scope: ["organization"], login: true, organization: "member" },
      ownerOf: ({ organization }) => organization.organization.id,
    },
    { runs: "getOrgWorkflowRuns", jobs: "getOrgWorkflowJobs" },
  ),
  ...acrossEndpoints(
    {
      ...{ tag: "user", base: "/user/actions", of: "the caller's repositories" },
      needs: { scope: ["user", "repository"], login: true },
      ownerOf: ({ actor }) => actor.user.id,
    },
    { runs: "getUserWorkflowRuns", jobs: "getUserWorkflowJobs" },
  ),
  ...acrossEndpoints(
    {
      ...{ tag: "admin", base: "/admin/actions", of: "all repositories" },
      needs: { scope: ["admin"], siteAdmin: true },
      ownerOf: () => undefined,
    },
    { runs: "listAdminWorkflowRuns", jobs: "listAdminWorkflowJobs" },
  ),
];
