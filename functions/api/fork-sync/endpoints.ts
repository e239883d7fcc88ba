import {
  fastForwardFork,
  getSyncState,
  mergeKinds,
  mergeUpstream,
  type SyncState,
} from "#core/fork-sync/fork-sync";
import { z } from "#zod";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { readsCode, writesCode } from "../repository/needs.ts";

const errors = [400, 401, 403, 404, 409, 413, 423];

const SyncForkInfo = z
  .object({
    allowed: z.boolean().openapi({ description: "whether the branch can be moved forward" }),
    fork_commit: z.string(),
    base_commit: z.string().openapi({ description: "empty when the parent has no such branch" }),
    commits_behind: z.int(),
  })
  .openapi("SyncForkInfo");
const presentState = ({ isAllowed, forkCommit, baseCommit, commitsBehind }: SyncState) => ({
  allowed: isAllowed,
  fork_commit: forkCommit,
  base_commit: baseCommit,
  commits_behind: commitsBehind,
});

const repoSyncForkDefaultInfo = endpoint({
  id: "repoSyncForkDefaultInfo",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/sync_fork",
  summary: "Tell how far the default branch of a fork is behind its parent's",
  cost: "heavy",
  needs: readsCode,
  status: 200,
  returns: { json: SyncForkInfo },
  errors: [400, 403, 404],
  handle: async ({ forge, actor, access }) =>
    presentState(await getSyncState(forge, actor, access, access.repository.defaultBranch)),
});

const repoSyncForkDefault = endpoint({
  id: "repoSyncForkDefault",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/sync_fork",
  summary: "Move the default branch of a fork forward to its parent's",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  status: 204,
  errors,
  handle: async ({ forge, actor, access }) => {
    await fastForwardFork(forge, actor, access, access.repository.defaultBranch);
    return undefined;
  },
});

const repoSyncForkBranchInfo = endpoint({
  id: "repoSyncForkBranchInfo",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/sync_fork/{branch}",
  summary: "Tell how far a branch of a fork is behind its parent's",
  cost: "heavy",
  needs: readsCode,
  slashed: "branch",
  status: 200,
  returns: { json: SyncForkInfo },
  errors: [400, 403, 404],
  handle: async ({ forge, actor, access, params }) =>
    presentState(await getSyncState(forge, actor, access, params.branch)),
});

const repoSyncForkBranch = endpoint({
  id: "repoSyncForkBranch",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/sync_fork/{branch}",
  summary: "Move a branch of a fork forward to its parent's",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  slashed: "branch",
  status: 204,
  errors,
  handle: async ({ forge, actor, access, params }) => {
    await fastForwardFork(forge, actor, access, params.branch);
    return undefined;
  },
});

const MergeUpstreamRequest = z
  .object({
    branch: z.string().optional().openapi({ description: "the default branch when absent" }),
    ff_only: z.boolean().optional().openapi({ description: "400 instead of a merge" }),
  })
  .openapi("MergeUpstreamRequest");
const MergeUpstreamResponse = z.object({ merge_type: z.enum(mergeKinds) }).openapi("MergeUpstreamResponse");

const repoMergeUpstream = endpoint({
  id: "repoMergeUpstream",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/merge-upstream",
  summary:
    "Bring the parent's commits of a branch into a fork, by a merge when the fork has commits of its own",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  body: MergeUpstreamRequest,
  status: 200,
  returns: { json: MergeUpstreamResponse },
  errors,
  handle: async ({ forge, actor, access, body }) => {
    const wanted = {
      branch: body.branch || access.repository.defaultBranch,
      isFastForwardOnly: body.ff_only ?? false,
    };
    return { merge_type: await mergeUpstream(forge, actor, access, wanted) };
  },
});

/** Every operation that lets a fork follow its parent. */
export const forkSyncEndpoints: readonly Endpoint[] = [
  repoSyncForkDefaultInfo,
  repoSyncForkDefault,
  repoSyncForkBranchInfo,
  repoSyncForkBranch,
  repoMergeUpstream,
];
