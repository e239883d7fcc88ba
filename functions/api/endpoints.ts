import type { Endpoint } from "../http/endpoint.ts";
import { accountEndpoints } from "./account/endpoints.ts";
import { archiveEndpoints } from "./archive/endpoints.ts";
import { attachmentEndpoints } from "./attachment/endpoints.ts";
import { organizationBlockEndpoints } from "./block/organization-endpoints.ts";
import { userBlockEndpoints } from "./block/user-endpoints.ts";
import { codeEndpoints } from "./code/endpoints.ts";
import { collaboratorEndpoints } from "./collaborator/endpoints.ts";
import { insiderEndpoints } from "./collaborator/insider-endpoints.ts";
import { commentEndpoints } from "./comment/endpoints.ts";
import { cronTaskEndpoints } from "./cron-task/endpoints.ts";
import { dependencyEndpoints } from "./dependency/endpoints.ts";
import { deployKeyEndpoints } from "./deploy-key/endpoints.ts";
import { followEndpoints } from "./follow/endpoints.ts";
import { gpgKeyEndpoints } from "./gpg-key/endpoints.ts";
import { hookEndpoints } from "./hook/endpoints.ts";
import { issueAssigneeEndpoints } from "./issue/assignee-endpoints.ts";
import { issueDeadlineEndpoints } from "./issue/deadline-endpoints.ts";
import { issueEndpoints } from "./issue/endpoints.ts";
import { issueLabelEndpoints } from "./issue/label-endpoints.ts";
import { issueLockEndpoints } from "./issue/lock-endpoints.ts";
import { issuePinEndpoints } from "./issue/pin-endpoints.ts";
import { issueSearchEndpoints } from "./issue/search-endpoints.ts";
import { issueSubscriptionEndpoints } from "./issue/subscription-endpoints.ts";
import { issueTemplateEndpoints } from "./issue-template/endpoints.ts";
import { labelEndpoints } from "./label/endpoints.ts";
import { markdownEndpoints } from "./markdown/endpoints.ts";
import { milestoneEndpoints } from "./milestone/endpoints.ts";
import { miscellaneousEndpoints } from "./miscellaneous/endpoints.ts";
import { signingKeyEndpoints } from "./miscellaneous/signing-key-endpoints.ts";
import { organizationEndpoints } from "./organization/endpoints.ts";
import { memberEndpoints } from "./organization/member-endpoints.ts";
import { organizationRepositoryEndpoints } from "./organization/repository-endpoints.ts";
import { publicKeyEndpoints } from "./public-key/endpoints.ts";
import { pullEndpoints } from "./pull/endpoints.ts";
import { pullMergeEndpoints } from "./pull/merge-endpoints.ts";
import { pullRangeEndpoints } from "./pull/range-endpoints.ts";
import { reactionEndpoints } from "./reaction/endpoints.ts";
import { repositoryEndpoints } from "./repository/endpoints.ts";
import { repositoryFlagEndpoints } from "./repository/flag-endpoints.ts";
import { repositoryForkEndpoints } from "./repository/fork-endpoints.ts";
import { repositoryLanguageEndpoints } from "./repository/language-endpoints.ts";
import { repositoryListEndpoints } from "./repository/list-endpoints.ts";
import { repositorySettingEndpoints } from "./repository/setting-endpoints.ts";
import { repositoryTemplateEndpoints } from "./repository/template-endpoints.ts";
import { repositoryTransferEndpoints } from "./repository/transfer-endpoints.ts";
import { unadoptedEndpoints } from "./repository/unadopted-endpoints.ts";
import { reviewCommentEndpoints } from "./review/comment-endpoints.ts";
import { reviewEndpoints } from "./review/endpoints.ts";
import { reviewRequestEndpoints } from "./review/request-endpoints.ts";
import { settingsEndpoints } from "./settings/endpoints.ts";
import { starEndpoints } from "./star/endpoints.ts";
import { stopwatchEndpoints } from "./stopwatch/endpoints.ts";
import { teamEndpoints } from "./team/endpoints.ts";
import { teamMemberEndpoints } from "./team/member-endpoints.ts";
import { teamRepositoryEndpoints } from "./team/repository-endpoints.ts";
import { templateEndpoints } from "./template/endpoints.ts";
import { tokenEndpoints } from "./token/endpoints.ts";
import { topicEndpoints } from "./topic/endpoints.ts";
import { trackedTimeEndpoints } from "./tracked-time/endpoints.ts";
import { userAdministrationEndpoints } from "./user/admin-endpoints.ts";
import { emailEndpoints } from "./user/email-endpoints.ts";
import { userEndpoints } from "./user/endpoints.ts";
import { watchEndpoints } from "./watch/endpoints.ts";
import { wikiEndpoints } from "./wiki/endpoints.ts";

/** Every operation of the API, in the order of the document. */
export const endpoints: readonly Endpoint[] = [
  ...miscellaneousEndpoints,
  ...markdownEndpoints,
  ...templateEndpoints,
  ...userAdministrationEndpoints,
  ...cronTaskEndpoints,
  ...signingKeyEndpoints,
  ...userEndpoints,
  ...emailEndpoints,
  ...followEndpoints,
  ...settingsEndpoints,
  ...accountEndpoints,
  ...tokenEndpoints,
  ...publicKeyEndpoints,
  ...gpgKeyEndpoints,
  ...organizationEndpoints,
  ...memberEndpoints,
  ...organizationRepositoryEndpoints,
  ...organizationBlockEndpoints,
  ...userBlockEndpoints,
  ...teamEndpoints,
  ...teamMemberEndpoints,
  ...teamRepositoryEndpoints,
  ...repositoryEndpoints,
  ...repositoryListEndpoints,
  ...repositoryForkEndpoints,
  ...repositoryLanguageEndpoints,
  ...repositoryFlagEndpoints,
  ...repositorySettingEndpoints,
  ...repositoryTemplateEndpoints,
  ...repositoryTransferEndpoints,
  ...unadoptedEndpoints,
  ...topicEndpoints,
  ...starEndpoints,
  ...watchEndpoints,
  ...collaboratorEndpoints,
  ...insiderEndpoints,
  ...codeEndpoints,
  ...archiveEndpoints,
  ...wikiEndpoints,
  ...hookEndpoints,
  ...deployKeyEndpoints,
  ...issuePinEndpoints,
  ...issueEndpoints,
  ...reviewCommentEndpoints,
  ...reviewRequestEndpoints,
  ...pullEndpoints,
  ...pullRangeEndpoints,
  ...reviewEndpoints,
  ...pullMergeEndpoints,
  ...issueSearchEndpoints,
  ...issueTemplateEndpoints,
  ...issueLabelEndpoints,
  ...issueAssigneeEndpoints,
  ...issueDeadlineEndpoints,
  ...issueLockEndpoints,
  ...issueSubscriptionEndpoints,
  ...dependencyEndpoints,
  ...reactionEndpoints,
  ...commentEndpoints,
  ...attachmentEndpoints,
  ...trackedTimeEndpoints,
  ...stopwatchEndpoints,
  ...labelEndpoints,
  ...milestoneEndpoints,
];
