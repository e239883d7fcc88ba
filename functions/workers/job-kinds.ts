import { settleDeparture } from "#core/account/departure";
import { forgetUser } from "#core/account/forget";
import { endCollaborations } from "#core/collaborator/end-collaborations";
import { clearComment, commentClearingKind } from "#core/comment/clear";
import { foldDirectory, rebuildDamaged } from "#core/directory/fold-job";
import { foldJobKind, rebuildJobKind } from "#core/directory/fold-requests";
import { extendGraph } from "#core/git/commit-graph/extend-graph";
import { resealHooks, resealingKind } from "#core/hook/reseal";
import { clearIssue, issueClearingKind } from "#core/issue/clear";
import type { JobKinds } from "#core/jobs/job";
import { forgetOrganization } from "#core/organization/remove";
import { removeNamedRepositories, removingRepositoriesKind } from "#core/organization/remove-repositories";
import { emptyRepository } from "#core/repository/emptying";
import { followOwner, followVisibility } from "#core/repository/fork-changes";
import { settleTransfer } from "#core/repository/hand-over";
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
