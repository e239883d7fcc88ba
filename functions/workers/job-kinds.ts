import { settleDeparture } from "#core/account/departure";
import { endCollaborations } from "#core/collaborator/end-collaborations";
import { clearComment, commentClearingKind } from "#core/comment/clear";
import { foldDirectory, rebuildDamaged } from "#core/directory/fold-job";
import { foldJobKind, rebuildJobKind } from "#core/directory/fold-requests";
import { extendGraph } from "#core/git/commit-graph/extend-graph";
import { resealHooks, resealingKind } from "#core/hook/reseal";
import { issueClearingKind } from "#core/issue/remove";
import type { JobKinds } from "#core/jobs/job";
import { settleTransfer } from "#core/lifecycle/after-transfer";
import { clearIssue } from "#core/lifecycle/end-of-issue";
import { forgetOrganization } from "#core/lifecycle/end-of-organization";
import { emptyRepository } from "#core/lifecycle/end-of-repository";
import { forgetUser } from "#core/lifecycle/end-of-user";
import { removeNamedRepositories, removingRepositoriesKind } from "#core/organization/remove-repositories";
import { followOwner, followVisibility } from "#core/repository/fork-changes";
import {
  consolidateRepository,
  consolidationKind,
  inspectionKind,
  inspectPacks,
} from "#core/repository/maintenance";
import { forgetTeam } from "#core/team/remove";

/** The kind of the job that extends a repository's commit graph. */
export const graphJobKind = "extend-graph";

/** Every kind of job, by the name that stands in the job. */
export const jobKinds: JobKinds = {
  "empty-repository": emptyRepository,
  "end-collaborations": endCollaborations,
  "forget-organization": forgetOrganization,
  "forget-user": forgetUser,
  "forget-team": forgetTeam,
  "follow-owner": followOwner,
  [removingRepositoriesKind]: removeNamedRepositories,
  "follow-visibility": followVisibility,
  "settle-departure": settleDeparture,
  "settle-transfer": settleTransfer,
  [commentClearingKind]: clearComment,
  [issueClearingKind]: clearIssue,
  [foldJobKind]: foldDirectory,
  [graphJobKind]: { step: extendGraph },
  [rebuildJobKind]: rebuildDamaged,
  [consolidationKind]: consolidateRepository,
  [inspectionKind]: inspectPacks,
  [resealingKind]: resealHooks,
};
