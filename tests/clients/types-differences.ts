import type { GeneratedClient } from "./types-story.ts";

type Differences = Pick<GeneratedClient, "elsewhere" | "different">;

/** What both clients have and ours hasn't under that name: see `tests/openapi/family-differences.ts`. */
const elsewhere = [
  "activitypubPerson",
  "activitypubPersonInbox",
  "createOrgRepoDeprecated",
  "issueGetMilestonesList",
  "repoListStatusesByRef",
];
const variables = "a variable that is gone is answered without a body";
const subject = "it asks about a subject, which the family doesn't declare";
const different = {
  deleteOrgVariable: variables,
  deleteRepoVariable: variables,
  repoGetArchive: "the family declares no body",
  repoGetCombinedStatusByRef: "D-OPIDS: the service document's name of the list",
  repoGetEditorConfig: "the family declares no body",
  topicSearch: "the family declares a list and sends an object",
  userGetHeatmapData: "the clients' documents declare one point, the family sends a list",
  userVerifyGpgKey: "the family declares no body and reads one",
};

export const ofForgejo: Differences = {
  elsewhere: [
    ...elsewhere,
    "activitypubInstanceActor",
    "activitypubInstanceActorInbox",
    "activitypubRepository",
    "activitypubRepositoryInbox",
  ],
  different: { ...different, orgCheckQuota: subject, userCheckQuota: subject },
};

export const ofGitea: Differences = {
  elsewhere: [...elsewhere, "userGetOauth2Application"],
  different: {
    ...different,
    issueClearLabels: "Forgejo's takes a body",
    issueRemoveLabel: "Forgejo's takes a body",
    userBlockUser: "Gitea's takes a note, Forgejo's nothing",
  },
};
