import { defined } from "#core/defined";
import { forbidden } from "#core/errors";
import { pullMergeStyles, updateStyles, type WantedMerge } from "#core/pull/merge/wanted";
import { getPull } from "#core/pull/pull";
import { z } from "#zod";
import { Reply } from "../../http/answer/reply.ts";
import { endpoint } from "../../http/endpoint.ts";
import { bySignedInReaders, readsPulls } from "./needs.ts";

/** Keys match in any case; those with underscores are the other half of the family's (D-MERGE). */
const MergePullRequestOption = z
  .object({
    Do: z.enum(pullMergeStyles).openapi({ description: "how; a request without a body stands for merge" }),
    MergeTitleField: z.string().optional().openapi({ description: "first line of the commit's message" }),
    MergeMessageField: z.string().optional().openapi({ description: "the rest of it" }),
    MergeCommitID: z.string().optional().openapi({ description: "the commit that merged it by hand" }),
    merge_title_field: z.string().optional(),
    merge_message_field: z.string().optional(),
    merge_commit_id: z.string().optional(),
    head_commit_id: z.string().optional().openapi({ description: "409 when the head is another commit" }),
    force_merge: z
      .boolean()
      .optional()
      .openapi({ description: "for administrators: skips what the base's protection demands" }),
    merge_when_checks_succeed: z
      .boolean()
      .optional()
      .openapi({ description: "201: merged once the checks of the head succeed" }),
    delete_branch_after_merge: z.boolean().optional(),
  })
  .openapi("MergePullRequestOption");
type MergeJson = z.infer<typeof MergePullRequestOption>;

const repoMergePullRequest = endpoint({
  id: "repoMergePullRequest",
  ...bySignedInReaders,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/merge",
  summary: "Merge a pull request",
  cost: "heavy",
  refusesArchived: true,
  body: MergePullRequestOption,
  withoutBody: { Do: "merge" },
  status: 200,
  otherStatus: 201,
  errors: [401, 403, 404, 405, 409, 413, 422, 423, 503],
  handle: async ({ forge, access, actor, params, body }) => {
    const wanted = wantedOf(body);
    if (body.merge_when_checks_succeed === true) {
      const { scheduleMerge } = await import("#core/pull/merge/schedule");
      await scheduleMerge(forge, access, params.index, wanted, actor);
      return new Reply(undefined, { status: 201 });
    }
    const { mergePull } = await import("#core/pull/merge/merge"); // the rest of the API starts without it
    const head = await mergePull(forge, access, params.index, wanted, actor);
    if (head === "refused")
      throw forbidden("the pull request is merged; its head branch may not be deleted by you");
    return undefined;
  },
});

function wantedOf(body: MergeJson): WantedMerge {
  const headId = body.head_commit_id || undefined;
  return {
    style: body.Do,
    ...defined({
      title: body.MergeTitleField ?? body.merge_title_field,
      message: body.MergeMessageField ?? body.merge_message_field,
      commitId: body.MergeCommitID ?? body.merge_commit_id,
      headId: headId?.toLowerCase(),
      isForced: body.force_merge,
      deletesBranch: body.delete_branch_after_merge,
    }),
  };
}

const repoCancelScheduledAutoMerge = endpoint({
  id: "repoCancelScheduledAutoMerge",
  ...bySignedInReaders,
  method: "delete",
  path: "/repos/{owner}/{repo}/pulls/{index}/merge",
  summary: "Cancel the merge of a pull request that waits for its checks",
  refusesArchived: true,
  status: 204,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, access, actor, params }) => {
    const { cancelScheduledMerge } = await import("#core/pull/merge/schedule");
    await cancelScheduledMerge(forge, access, params.index, actor);
    return undefined;
  },
});

const repoUpdatePullRequest = endpoint({
  id: "repoUpdatePullRequest",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/update",
  summary: "Bring the base's new commits into the head branch of a pull request",
  cost: "heavy",
  needs: { ...readsPulls, login: true },
  refusesArchived: true,
  thingRights: ({ forge, access, params }) => getPull(forge, access, params.index),
  hasBareRefusal: true,
  query: { style: z.enum(updateStyles).default("merge") },
  status: 200,
  errors: [401, 403, 404, 409, 413, 422, 423],
  handle: async ({ forge, access, actor, params, query }) => {
    const { updatePullBranch } = await import("#core/pull/update-branch");
    await updatePullBranch(forge, access, params.index, query.style, actor);
    return undefined;
  },
});

export const pullMergeEndpoints = [repoMergePullRequest, repoCancelScheduledAutoMerge, repoUpdatePullRequest];
