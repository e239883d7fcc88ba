import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "#functions/http/endpoint";
import { basic, makeApi, type TestApi } from "#tests/support/api";
import { endpoints } from "#tests/support/endpoints";
import { makeKeyLine } from "#tests/support/keys";
import { makeRefusalWorld, type RefusalWorld } from "../refusal-world.ts";
import { whileLosing } from "./lose-races.ts";

/** Others are always faster: no write that asks for the state that was read is taken. */
let api: TestApi;
let world: RefusalWorld;

beforeAll(async () => {
  api = await makeApi({ simulation: false, settings: { ENABLE_FLAGS: "true" } });
  world = await makeRefusalWorld(api);
  const { boss, make, know } = world;
  const open = "/repos/boss/open";
  const put = async (path: string, body: object = {}) => {
    expect((await api.call("PUT", path, { as: boss, body })).status, path).toBeLessThan(300);
  };
  const label = { name: "bug", color: "aabbcc" };
  const labelId = await make(`${open}/labels`, label);
  know(/\/labels\//, { label: labelId });
  know(/^\/orgs\/.*\/labels\//, { label: await make("/orgs/acme/labels", label) });
  await make(`${open}/issues/1/labels`, { labels: [Number(labelId)] });
  know(/\/milestones\//, { milestone: await make(`${open}/milestones`, { title: "soon" }) });
  const hook = { type: "gitea", config: { url: "https://ci.example/", content_type: "json" } };
  for (const [beginning, path] of [
    [/^\/repos\/.*\/hooks\//, `${open}/hooks`],
    [/^\/orgs\/.*\/hooks\//, "/orgs/acme/hooks"],
    [/^\/user\/hooks\//, "/user/hooks"],
    [/^\/admin\/hooks\//, "/admin/hooks"],
  ] as const) {
    know(beginning, { id: await make(path, hook) });
  }
  know(/\/keys\//, { id: await make(`${open}/keys`, { title: "ci", key: makeKeyLine() }) });
  await make("/orgs/acme/repos", { name: "shared", auto_init: true });
  know(/\/teams\/\{/, { team: "crew", owner: "acme", repo: "shared", username: "stranger" });
  await put(`${open}/topics/old`);
  know(/\/topics\//, { topic: "old" });
  await put(`${open}/flags/seen`);
  know(/\/flags\//, { flag: "seen" });
  await put("/user/following/stranger");
  know(/^\/user\/following\/|\/collaborators\//, { username: "stranger" });
  await make(`${open}/branch_protections`, { rule_name: "main", enable_push: true });
  know(/\/branch_protections\//, { name: "main" });
  know(/\/tag_protections\//, {
    id: await make(`${open}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["boss"] }),
  });
  know(/\/branches\//, { branch: "topic" });
  await make(`${open}/wiki/new`, { title: "Home", content_base64: "aGk=" });
  know(/\/wiki\//, { pageName: "Home" });
  know(/\/releases\//, { id: await make(`${open}/releases`, { tag_name: "v1" }) });
  know(/\/times\//, { id: await make(`${open}/issues/1/times`, { time: 60 }) });
  await makeMore();
  const { json } = await api.call("GET", `${open}/commits?limit=1`, { as: boss });
  know(/\{sha\}/, { sha: json[0].sha });
  know(/\/contents\//, { filepath: "other.txt" });
});
afterAll(() => api.stop());

/** What is taken away, changed back or answered: a thing of each kind. */
async function makeMore(): Promise<void> {
  const { boss, make, know } = world;
  const open = "/repos/boss/open";
  const send = async (method: string, path: string, body: object = {}) => {
    const { status, text } = await api.call(method, path, { as: boss, body });
    expect(status, `${path}: ${text}`).toBeLessThan(300);
  };
  await make("/user/emails", { emails: ["also@example.com"] });
  await make("/admin/users", {
    username: "member",
    email: "member@example.com",
    password: "correct-horse-9",
  });
  await make("/orgs/acme/repos", { name: "given", auto_init: true });
  const [{ id: owners }, { id: crew }] = (await api.call("GET", "/orgs/acme/teams", { as: boss })).json;
  for (const team of [owners, crew]) await send("PUT", `/teams/${team}/members/member`);
  await send("PUT", `/teams/${crew}/repos/acme/given`);
  for (const path of ["/user/avatar", "/orgs/acme/avatar", "/repos/acme/shared/avatar"]) {
    await send("POST", path, { image: picture });
  }
  await send("PUT", "/user/starred/boss/old");
  await send("DELETE", "/repos/boss/old/subscription");
  for (const title of ["Pinned", "Waits", "First"]) await make(`${open}/issues`, { title });
  for (const index of [3, 4]) await send("POST", `${open}/issues/${index}/pin`);
  await send("PUT", `${open}/issues/3/lock`);
  await send("POST", `${open}/issues/3/assignees`, { assignees: ["boss"] });
  await send("POST", `${open}/issues/4/dependencies`, { owner: "boss", repo: "open", index: 5 });
  for (const path of [open, "/orgs/acme", "/user"]) {
    await send("PUT", `${path}/actions/secrets/SECRET`, { data: "x" });
  }
  know(/\/secrets\//, { secretname: "SECRET" });
  const pending = await make(`${open}/pulls/2/reviews`, { body: "not yet" });
  know(/\/reviews\/\{id\}$/, { id: pending });
  const approval = { as: world.stranger, body: { event: "APPROVED", body: "good" } };
  const { json: approved } = await api.call("POST", `${open}/pulls/2/reviews`, approval);
  know(/dismissals$/, { id: String(approved.id) });
  await send("POST", `${open}/pulls/2/requested_reviewers`, { reviewers: ["member"] });
}

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const hook = { type: "gitea", config: { url: "https://ci.example/", content_type: "json" } };

type Row = readonly [
  operation: string,
  body?: object | undefined,
  place?: Readonly<Record<string, string>>,
  before?: string,
];

/** Requests that would change something, each by its operation; `before`: another that has to come first. */
const requests: readonly Row[] = [
  ["adminEditUser", { full_name: "Other" }],
  ["adminRenameUser", { new_username: "other" }],
  ["updateUserSettings", { full_name: "Other" }],
  ["userUpdateAvatar", { image: picture }],
  ["userAddEmail", { emails: ["more@example.com"] }],
  ["userCurrentDeleteFollow"],
  ["orgEdit", { full_name: "Other" }],
  ["renameOrg", { new_name: "other" }],
  ["orgUpdateAvatar", { image: picture }],
  ["orgPublicizeMember"],
  ["orgCreateTeam", { name: "more", units: ["repo.code"] }],
  ["orgEditTeam", { name: "other" }],
  ["orgDeleteTeam"],
  ["orgAddTeamMember"],
  ["orgAddTeamRepository"],
  ["repoAddTeam"],
  ["repoEdit", { description: "other" }],
  ["repoReplaceAllFlags", { flags: ["other"] }],
  ["repoDeleteAllFlags"],
  ["repoAddFlag"],
  ["repoDeleteFlag"],
  ["repoUpdateAvatar", { image: picture }],
  ["repoTransfer", { new_owner: "stranger" }],
  ["repoUpdateTopics", { topics: ["new"] }],
  ["repoDeleteTopic"],
  ["userCurrentPutStar"],
  ["userCurrentDeleteSubscription"],
  ["repoUpdateBranch", { name: "other" }],
  ["repoDeleteBranch"],
  ["repoEditBranchProtection", { required_approvals: 1 }],
  ["repoEditTagProtection", { name_pattern: "w*" }],
  ["repoDeleteTagProtection"],
  ["repoDeleteRelease"],
  ["repoGetRunnerRegistrationToken"],
  ["repoCreateRunnerRegistrationToken"],
  ["orgGetRunnerRegistrationToken"],
  ["orgCreateRunnerRegistrationToken"],
  ["userGetRunnerRegistrationToken"],
  ["adminGetActionsRunnerRegistrationToken"],
  ["adminCreateRunnerRegistrationToken"],
  ["adminGetRunnerRegistrationToken"],
  ["adminPostRunnerRegistrationToken"],
  ["registerRepoRunner", { name: "r" }],
  ["registerOrgRunner", { name: "r" }],
  ["registerUserRunner", { name: "r" }],
  ["registerAdminRunner", { name: "r" }],
  ["repoCreateHook", hook],
  ["repoEditHook", { active: true }],
  ["orgCreateHook", hook],
  ["orgEditHook", { active: true }],
  ["userCreateHook", hook],
  ["userEditHook", { active: true }],
  ["adminCreateHook", hook],
  ["adminEditHook", { active: true }],
  ["repoCreateKey", { title: "more", key: makeKeyLine() }],
  ["repoDeleteKey"],
  ["userDeleteAvatar"],
  ["userDeleteEmail", { emails: ["also@example.com"] }],
  ["adminDeleteUserEmails", { emails: ["also@example.com"] }],
  ["userChangePassword", { password: "correct-horse-10" }],
  ["orgDeleteAvatar"],
  ["orgDeleteMember", undefined, { username: "member" }],
  ["orgConcealMember", undefined, {}, "orgPublicizeMember"],
  ["orgRemoveTeamMember", undefined, { username: "member" }],
  ["orgRemoveTeamRepository", undefined, { repo: "given" }],
  ["repoDeleteTeam", undefined, { owner: "acme", repo: "given", team: "crew" }],
  ["repoDeleteAvatar", undefined, { owner: "acme", repo: "shared" }],
  ["repoAddTopic", undefined, { topic: "fresh" }],
  ["userCurrentDeleteStar", undefined, { repo: "old" }],
  ["userCurrentPutSubscription", {}, { repo: "old" }],
  ["repoCreateFile", { content: "YQ==", message: "m" }, { filepath: "fresh.txt" }],
  ["repoChangeFiles", { files: [{ operation: "create", path: "fresh.txt", content: "YQ==" }] }],
  ["repoSetNote", { message: "words" }],
  ["repoCreateStatus", { state: "success", context: "ci" }],
  ["repoCreateWikiPage", { title: "Fresh", content_base64: "aGk=" }],
  ["repoEditWikiPage", { title: "Home", content_base64: "aG8=" }],
  ["repoDeleteWikiPage"],
  ["repoDeleteRunnerRegistrationToken", undefined, {}, "repoCreateRunnerRegistrationToken"],
  ["orgDeleteRunnerRegistrationToken", undefined, {}, "orgCreateRunnerRegistrationToken"],
  ["userDeleteRunnerRegistrationToken", undefined, {}, "userCreateRunnerRegistrationToken"],
  ["adminDeleteRunnerRegistrationToken", undefined, {}, "adminCreateRunnerRegistrationToken"],
  ["updateRepoSecret", { data: "y" }],
  ["updateOrgSecret", { data: "y" }],
  ["updateUserSecret", { data: "y" }],
  ["pinIssue"],
  ["unpinIssue", undefined, { index: "3" }],
  ["moveIssuePin", undefined, { index: "3", position: "2" }],
  ["issueEditIssue", { title: "Other" }],
  ["issueDelete"],
  ["issueAddLabel", { labels: ["bug"] }, { index: "3" }],
  ["issueReplaceLabels", { labels: ["bug"] }, { index: "3" }],
  ["issueClearLabels", {}],
  ["issueRemoveLabel", {}, { label: "bug" }],
  ["issueAddAssignees", { assignees: ["boss"] }],
  ["issueRemoveAssignees", { assignees: ["boss"] }, { index: "3" }],
  ["issueEditIssueDeadline", { due_date: "2030-01-01T00:00:00Z" }],
  ["issueLockIssue", {}],
  ["issueUnlockIssue", undefined, { index: "3" }],
  ["issueRemoveIssueDependencies", { owner: "boss", repo: "open", index: 5 }, { index: "4" }],
  ["issueCreateIssueBlocking", { owner: "boss", repo: "open", index: 5 }, { index: "3" }],
  ["issueRemoveIssueBlocking", { owner: "boss", repo: "open", index: 4 }, { index: "5" }],
  ["issuePostIssueReaction", { content: "+1" }],
  ["issuePostCommentReaction", { content: "+1" }],
  ["issueCreateComment", { body: "more" }],
  ["issueEditComment", { body: "other" }],
  ["issueEditCommentDeprecated", { body: "other" }],
  ["issueDeleteComment"],
  ["issueDeleteCommentDeprecated"],
  ["issueDeleteIssueAttachment"],
  ["issueDeleteIssueCommentAttachment"],
  ["issueAddTime", { time: 5 }],
  ["issueResetTime"],
  ["issueDeleteTime"],
  ["repoCreatePullReviewComment", { path: "README.md", body: "words", new_position: 1 }],
  ["repoDeletePullReviewComment"],
  ["repoCreatePullReviewCommentReply", { body: "words" }],
  ["repoResolvePullReviewComment"],
  ["repoUnresolvePullReviewComment", undefined, {}, "repoResolvePullReviewComment"],
  ["repoCreatePullReviewRequests", { reviewers: ["stranger"] }],
  ["repoDeletePullReviewRequests", { reviewers: ["member"] }],
  ["repoCreatePullReview", { event: "COMMENT", body: "seen" }],
  ["repoSubmitPullReview", { event: "COMMENT", body: "seen" }],
  ["repoDeletePullReview"],
  ["repoDismissPullReview", { message: "no" }],
  ["repoUnDismissPullReview", undefined, {}, "repoDismissPullReview"],
  ["issueEditLabel", { name: "other" }],
  ["orgEditLabel", { name: "other" }],
  ["issueEditMilestone", { title: "later" }],
];

const rows = requests.map(([id, body, place, before]) => ({ id, body, place, before }));

describe("a request that loses every race", () => {
  const send = (id: string, body: Row[1], place: Row[2]) => {
    const one = endpoints.find((endpoint) => endpoint.id === id) as Endpoint;
    return api.call(one.method.toUpperCase(), world.pathOf(one, place), {
      headers: basic(world.boss.name, world.boss.password),
      ...(body === undefined ? {} : { body }),
    });
  };

  it.each(rows)("409: $id", async ({ id, body, place, before }) => {
    if (before !== undefined) expect((await send(before, {}, place)).status).toBeLessThan(300);
    const { status, text } = await whileLosing(api, () => send(id, body, place));
    expect(status, text).toBe(409);
  });
});
