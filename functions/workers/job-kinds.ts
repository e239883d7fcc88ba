import { settleDeparture } from "#core/account/settle-departure";
import { extendGraph } from "#core/git/store/commit-graph/extend-graph";
import { issueClearingKind } from "#core/issue/removal/remove";
import type { JobKinds } from "#core/jobs/job";
import { settleTransfer } from "#core/lifecycle/after-transfer";
import { clearIssue } from "#core/lifecycle/end-of-issue";
import { forgetOrganization } from "#core/lifecycle/end-of-organization";
import { emptyRepository } from "#core/lifecycle/end-of-repository";
import { forgetUser } from "#core/lifecycle/end-of-user";
import { lifecycles } from "#core/lifecycle/registry";
import { followersJobs, followersKind } from "#core/pull/follow/follow-jobs";

/** The kind of the job that extends a repository's commit graph. */
export const graphJobKind = "extend-graph";

/** Every kind of job, by the name that stands in the job: those of nouns, and those that go through all nouns. */
export const jobKinds: JobKinds = {
  ...Object.assign({}, ...lifecycles.map(({ jobs }) => jobs)),
  "empty-repository": emptyRepository,
  "forget-organization": forgetOrganization,
  "forget-user": forgetUser,
  "settle-departure": settleDeparture,
  "settle-transfer": settleTransfer,
  [issueClearingKind]: clearIssue,
  [followersKind]: followersJobs,
  [graphJobKind]: { step: extendGraph },
};
