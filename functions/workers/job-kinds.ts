import { forgetUser, settleDeparture } from "#core/account/account";
import { endCollaborations } from "#core/collaborator/collaborator";
import { clearComment, commentClearingKind } from "#core/comment/comment";
import { foldDirectory, rebuildDamaged } from "#core/directory/fold-job";
import { foldJobKind, rebuildJobKind } from "#core/directory/fold-requests";
import { extendGraph } from "#core/git/commit-graph/extend-graph";
import { resealHooks, resealingKind } from "#core/hook/reseal";
import * as issues from "#core/issue/issue";
import type { JobKinds } from "#core/jobs/job";
import {
  forgetOrganization,
  removeNamedRepositories,
  removingRepositoriesKind,
} from "#core/organization/organization";
import {
  consolidateRepository,
  consolidationKind,
  inspectionKind,
  inspectPacks,
} from "#core/repository/maintenance";
import { emptyRepository, followOwner, followVisibility, settleTransfer } from "#core/repository/repository";
import { forgetTeam } from "#core/team/team";

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
  [issues.clearingKind]: issues.clearIssue,
  [foldJobKind]: foldDirectory,
  [graphJobKind]: { step: extendGraph },
  [rebuildJobKind]: rebuildDamaged,
  [consolidationKind]: consolidateRepository,
  [inspectionKind]: inspectPacks,
  [resealingKind]: resealHooks,
};
