import { actionSecretLifecycle } from "../action-secret/action-secret.lifecycle.ts";
import { actionVariableLifecycle } from "../action-variable/action-variable.lifecycle.ts";
import { actionsLifecycle } from "../actions/actions.lifecycle.ts";
import { activityLifecycle } from "../activity/activity.lifecycle.ts";
import { artifactLifecycle } from "../artifact/artifact.lifecycle.ts";
import { attachmentLifecycle } from "../attachment/attachment.lifecycle.ts";
import { blockLifecycle } from "../block/block.lifecycle.ts";
import { branchProtectionLifecycle } from "../branch-protection/branch-protection.lifecycle.ts";
import { codeLifecycle } from "../code/code.lifecycle.ts";
import { collaboratorLifecycle } from "../collaborator/collaborator.lifecycle.ts";
import { commentLifecycle } from "../comment/comment.lifecycle.ts";
import { commitReferenceLifecycle } from "../commit-reference/commit-reference.lifecycle.ts";
import { commitStatusLifecycle } from "../commit-status/commit-status.lifecycle.ts";
import { contentHistoryLifecycle } from "../content-history/content-history.lifecycle.ts";
import { cronTaskLifecycle } from "../cron-task/cron-task.lifecycle.ts";
import { dependencyLifecycle } from "../dependency/dependency.lifecycle.ts";
import { deployKeyLifecycle } from "../deploy-key/deploy-key.lifecycle.ts";
import { externalLoginLifecycle } from "../external-login/external-login.lifecycle.ts";
import { followLifecycle } from "../follow/follow.lifecycle.ts";
import { gpgKeyLifecycle } from "../gpg-key/gpg-key.lifecycle.ts";
import { hookLifecycle } from "../hook/hook.lifecycle.ts";
import { importLifecycle } from "../import/import.lifecycle.ts";
import { issueLifecycle } from "../issue/issue.lifecycle.ts";
import { jobLifecycle } from "../jobs/job.lifecycle.ts";
import { labelLifecycle } from "../label/label.lifecycle.ts";
import { languageLifecycle } from "../language/language.lifecycle.ts";
import { lfsLifecycle } from "../lfs/lfs.lifecycle.ts";
import { mailLifecycle } from "../mail/mail.lifecycle.ts";
import { milestoneLifecycle } from "../milestone/milestone.lifecycle.ts";
import { mirrorLifecycle } from "../mirror/mirror.lifecycle.ts";
import { notificationLifecycle } from "../notification/notification.lifecycle.ts";
import { oauth2ApplicationLifecycle } from "../oauth2-application/oauth2-application.lifecycle.ts";
import { oauth2GrantLifecycle } from "../oauth2-grant/oauth2-grant.lifecycle.ts";
import { organizationLifecycle } from "../organization/organization.lifecycle.ts";
import { ownerLifecycle } from "../owner/owner.lifecycle.ts";
import { packageLifecycle } from "../package/package.lifecycle.ts";
import { publicKeyLifecycle } from "../public-key/public-key.lifecycle.ts";
import { pullLifecycle } from "../pull/pull.lifecycle.ts";
import { pushMirrorLifecycle } from "../push-mirror/push-mirror.lifecycle.ts";
import { quotaLifecycle } from "../quota/quota.lifecycle.ts";
import { reactionLifecycle } from "../reaction/reaction.lifecycle.ts";
import { referenceLifecycle } from "../reference/reference.lifecycle.ts";
import { releaseLifecycle } from "../release/release.lifecycle.ts";
import { repositoryLifecycle } from "../repository/repository.lifecycle.ts";
import { reviewLifecycle } from "../review/review.lifecycle.ts";
import { runnerLifecycle } from "../runner/runner.lifecycle.ts";
import { sessionLifecycle } from "../session/session.lifecycle.ts";
import { signingKeyLifecycle } from "../signing-key/signing-key.lifecycle.ts";
import { starWatchLifecycle } from "../star-watch/star-watch.lifecycle.ts";
import { stopwatchLifecycle } from "../stopwatch/stopwatch.lifecycle.ts";
import { tagProtectionLifecycle } from "../tag-protection/tag-protection.lifecycle.ts";
import { teamLifecycle } from "../team/team.lifecycle.ts";
import { tokenLifecycle } from "../token/token.lifecycle.ts";
import { topicLifecycle } from "../topic/topic.lifecycle.ts";
import { trackedTimeLifecycle } from "../tracked-time/tracked-time.lifecycle.ts";
import { usageLifecycle } from "../usage/usage.lifecycle.ts";
import { userLifecycle } from "../user/user.lifecycle.ts";
import { wikiLifecycle } from "../wiki/wiki.lifecycle.ts";
import { wordIndexLifecycle } from "../word-index/word-index.lifecycle.ts";
import { gitLifecycle } from "./git/git.lifecycle.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { listIndexLifecycle } from "./list-index/list-index.lifecycle.ts";
import { serviceLifecycle } from "./service.lifecycle.ts";

/** Every noun. Jobs and `check-data` go through them in this order; a test holds that none is missing. */
export const lifecycles: readonly Lifecycle[] = [
  ownerLifecycle,
  userLifecycle,
  repositoryLifecycle,
  organizationLifecycle,
  teamLifecycle,
  collaboratorLifecycle,
  blockLifecycle,
  followLifecycle,
  starWatchLifecycle,
  notificationLifecycle,
  activityLifecycle,
  mailLifecycle,
  tokenLifecycle,
  sessionLifecycle,
  externalLoginLifecycle,
  oauth2ApplicationLifecycle,
  oauth2GrantLifecycle,
  signingKeyLifecycle,
  publicKeyLifecycle,
  gpgKeyLifecycle,
  deployKeyLifecycle,
  hookLifecycle,
  attachmentLifecycle,
  releaseLifecycle,
  artifactLifecycle,
  runnerLifecycle,
  actionVariableLifecycle,
  actionSecretLifecycle,
  actionsLifecycle,
  packageLifecycle,
  gitLifecycle,
  lfsLifecycle,
  importLifecycle,
  mirrorLifecycle,
  pushMirrorLifecycle,
  wikiLifecycle,
  codeLifecycle,
  issueLifecycle,
  pullLifecycle,
  reviewLifecycle,
  commentLifecycle,
  contentHistoryLifecycle,
  reactionLifecycle,
  referenceLifecycle,
  commitReferenceLifecycle,
  dependencyLifecycle,
  trackedTimeLifecycle,
  stopwatchLifecycle,
  labelLifecycle,
  milestoneLifecycle,
  topicLifecycle,
  branchProtectionLifecycle,
  tagProtectionLifecycle,
  commitStatusLifecycle,
  languageLifecycle,
  listIndexLifecycle,
  wordIndexLifecycle,
  quotaLifecycle,
  usageLifecycle,
  cronTaskLifecycle,
  serviceLifecycle,
  jobLifecycle,
];
