import type { Place, RaceWorld, Who } from "./world.ts";

/** A request: its method, path and body, and its sender; alice or an administrator when nobody is named. */
export type RaceRequest = readonly [method: string, path: string, body?: object | undefined, as?: Who];
type Verb = (world: RaceWorld) => RaceRequest;

const place = ({ random, places }: RaceWorld): Place => places[random.chance(0.9) ? 0 : 1];
const repo = (world: RaceWorld): string => place(world).path;
const issueOf = ({ random }: RaceWorld, { path }: Place) => `${path}/issues/${random.chance(0.85) ? 1 : 2}`;
const issue = (world: RaceWorld): string => issueOf(world, place(world));
const somebody = ({ random, callers: { alice, bob, carol } }: RaceWorld): string =>
  random.pick([alice, bob, carol]).name;
const who = ({ random }: RaceWorld): Who => random.pick(["alice", "bob", "carol"]);
const named = ({ number }: RaceWorld, name: string): string => `${name}-${number}`;
const text = (world: RaceWorld): string => {
  const { random, places } = world;
  const other = `${places[1].path.slice("/repos/".length)}#1`;
  return `words ${random.integer(1e6)} ${random.pick(["", "#1", "fixes #2", `@${somebody(world)}`, other])}`;
};
const labels = (world: RaceWorld): number[] =>
  world.random.some([...place(world).labels, world.organizationLabel], 2);
const milestone = (world: RaceWorld): number => world.random.pick([0, ...place(world).milestones]);
const assignees = (world: RaceWorld): string[] => world.random.some([somebody(world)], 1);
const team = ({ random, teams }: RaceWorld): string => `/teams/${random.pick(teams)}`;
const branch = ({ random }: RaceWorld): string => random.pick(["x", "y"]);
const comment = (world: RaceWorld): string => {
  const { path, comments } = place(world);
  return `${path}/issues/comments/${world.random.pick(comments)}`;
};
const visibility = ({ random }: RaceWorld): string => random.pick(["public", "limited", "private"]);
const content = Buffer.from("words").toString("base64");

const tracker: Readonly<Record<string, Verb>> = {
  newIssue: (w) => [
    "POST",
    `${repo(w)}/issues`,
    { title: text(w), body: text(w), labels: labels(w), milestone: milestone(w), assignees: assignees(w) },
  ],
  title: (w) => ["PATCH", issue(w), { title: text(w), body: text(w) }],
  state: (w) => ["PATCH", issue(w), { state: w.random.pick(["open", "closed"]) }],
  milestone: (w) => ["PATCH", issue(w), { milestone: milestone(w) }],
  assign: (w) => ["PATCH", issue(w), { assignees: assignees(w) }],
  deadline: (w) => ["POST", `${issue(w)}/deadline`, { due_date: "2030-01-01T00:00:00Z" }],
  noIssue: (w) => ["DELETE", issue(w)],
  label: (w) => ["POST", `${issue(w)}/labels`, { labels: labels(w) }],
  labels: (w) => ["PUT", `${issue(w)}/labels`, { labels: labels(w) }],
  noLabels: (w) => ["DELETE", `${issue(w)}/labels`],
  editLabel: (w) => {
    const { path, labels: own } = place(w);
    const body = { name: w.random.pick(["kind/a", "kind/b"]), exclusive: w.random.chance(0.5) };
    return ["PATCH", `${path}/labels/${w.random.pick(own)}`, body];
  },
  deleteLabel: (w) => {
    const { path, labels: own } = place(w);
    return ["DELETE", `${path}/labels/${w.random.pick(own)}`];
  },
  deleteSharedLabel: (w) => ["DELETE", `/orgs/${w.organization}/labels/${w.organizationLabel}`],
  newMilestone: (w) => ["POST", `${repo(w)}/milestones`, { title: w.random.pick(["one", "two"]) }],
  closeMilestone: (w) => {
    const { path, milestones } = place(w);
    const body = { state: w.random.pick(["open", "closed"]) };
    return ["PATCH", `${path}/milestones/${w.random.pick(milestones)}`, body];
  },
  deleteMilestone: (w) => {
    const { path, milestones } = place(w);
    return ["DELETE", `${path}/milestones/${w.random.pick(milestones)}`];
  },
  comment: (w) => ["POST", `${issue(w)}/comments`, { body: text(w) }, who(w)],
  editComment: (w) => ["PATCH", comment(w), { body: text(w) }],
  deleteComment: (w) => ["DELETE", comment(w)],
  react: (w) => ["POST", `${issue(w)}/reactions`, { content: "heart" }, who(w)],
  noReaction: (w) => ["DELETE", `${issue(w)}/reactions`, { content: "heart" }, who(w)],
  reactToComment: (w) => ["POST", `${comment(w)}/reactions`, { content: "heart" }, who(w)],
  pin: (w) => ["POST", `${issue(w)}/pin`],
  unpin: (w) => ["DELETE", `${issue(w)}/pin`],
  movePin: (w) => ["PATCH", `${issue(w)}/pin/1`],
  lock: (w) => ["PUT", `${issue(w)}/lock`, { lock_reason: "Spam" }],
  unlock: (w) => ["DELETE", `${issue(w)}/lock`],
  depend: (w) => ["POST", `${issue(w)}/dependencies`, dependency(w)],
  dependNot: (w) => ["DELETE", `${issue(w)}/dependencies`, dependency(w)],
  subscribe: (w) => ["PUT", `${issue(w)}/subscriptions/${somebody(w)}`, undefined, "boss"],
  time: (w) => ["POST", `${issue(w)}/times`, { time: 60 }, who(w)],
  noTime: (w) => {
    const at = place(w);
    return ["DELETE", `${issueOf(w, at)}/times/${w.random.pick(at.times)}`];
  },
  noTimes: (w) => ["DELETE", `${issue(w)}/times`],
  start: (w) => ["POST", `${issue(w)}/stopwatch/start`, undefined, who(w)],
  stop: (w) => ["POST", `${issue(w)}/stopwatch/stop`, undefined, who(w)],
};

function dependency(world: RaceWorld): object {
  const [, , owner, name] = place(world).path.split("/");
  return { index: 1 + world.random.integer(2), owner, repo: name };
}

const repositories: Readonly<Record<string, Verb>> = {
  describe: (w) => ["PATCH", repo(w), { description: text(w) }],
  hide: (w) => ["PATCH", repo(w), { private: w.random.chance(0.5) }],
  rename: (w) => ["PATCH", repo(w), { name: w.random.pick(["code", "kode", "CODE"]) }],
  archive: (w) => ["PATCH", repo(w), { archived: w.random.chance(0.2) }],
  units: (w) => ["PATCH", repo(w), { has_issues: w.random.chance(0.8), has_wiki: w.random.chance(0.8) }],
  topics: (w) => ["PUT", `${repo(w)}/topics`, { topics: w.random.some(["a", "b", "c"], 3) }],
  topic: (w) => ["PUT", `${repo(w)}/topics/a`],
  file: (w) => [
    "POST",
    `${repo(w)}/contents/${w.random.integer(3)}.txt`,
    { content, message: text(w), branch: w.random.pick(["main", "x"]) },
  ],
  branch: (w) => ["POST", `${repo(w)}/branches`, { new_branch_name: branch(w) }],
  noBranch: (w) => ["DELETE", `${repo(w)}/branches/${branch(w)}`],
  renameBranch: (w) => ["PATCH", `${repo(w)}/branches/${branch(w)}`, { name: branch(w) }],
  tag: (w) => ["POST", `${repo(w)}/tags`, { tag_name: branch(w) }],
  noTag: (w) => ["DELETE", `${repo(w)}/tags/${branch(w)}`],
  protect: (w) => ["POST", `${repo(w)}/branch_protections`, { rule_name: branch(w), enable_push: true }],
  unprotect: (w) => ["DELETE", `${repo(w)}/branch_protections/${branch(w)}`],
  protectTag: (w) => [
    "POST",
    `${repo(w)}/tag_protections`,
    { name_pattern: branch(w), whitelist_usernames: [somebody(w)] },
  ],
  page: (w) => ["POST", `${repo(w)}/wiki/new`, { title: "Home", content_base64: content }],
  noPage: (w) => ["DELETE", `${repo(w)}/wiki/page/Home`],
  status: (w) => ["POST", `${repo(w)}/statuses/main`, { state: "success", context: "x" }],
  hook: (w) => [
    "POST",
    `${repo(w)}/hooks`,
    { type: "gitea", config: { url: "http://192.0.2.9/", content_type: "json" } },
  ],
  star: (w) => ["PUT", repo(w).replace("/repos/", "/user/starred/"), undefined, who(w)],
  noStar: (w) => ["DELETE", repo(w).replace("/repos/", "/user/starred/"), undefined, who(w)],
  watch: (w) => ["PUT", `${repo(w)}/subscription`, undefined, who(w)],
  collaborate: (w) => [
    "PUT",
    `${repo(w)}/collaborators/${somebody(w)}`,
    { permission: w.random.pick(["read", "write", "admin"]) },
  ],
  noCollaborator: (w) => ["DELETE", `${repo(w)}/collaborators/${somebody(w)}`],
  transfer: (w) => [
    "POST",
    `${repo(w)}/transfer`,
    { new_owner: w.random.pick([somebody(w), w.organization]) },
  ],
  accept: (w) => ["POST", `${repo(w)}/transfer/accept`, undefined, who(w)],
  reject: (w) => ["POST", `${repo(w)}/transfer/reject`, undefined, who(w)],
  fork: (w) => ["POST", `${repo(w)}/forks`, { name: `fork-${w.random.integer(2)}` }, who(w)],
  newRepository: (w) => ["POST", "/user/repos", { name: w.random.pick(["code", "kode", "fork-0"]) }, who(w)],
  deleteRepository: (w) => ["DELETE", repo(w)],
};

const version = ({ random }: RaceWorld): string => random.pick(["v1", "v2", "V2", "v3"]);
const release = (world: RaceWorld): string => {
  const { path, releases } = place(world);
  return `${path}/releases/${world.random.pick(releases)}`;
};
const asset = (world: RaceWorld): string => {
  const { path, releases, assets } = place(world);
  const at = world.random.integer(releases.length);
  return `${path}/releases/${releases[at]}/assets/${assets[at]}`;
};

const publishing: Readonly<Record<string, Verb>> = {
  newRelease: (w) => [
    "POST",
    `${repo(w)}/releases`,
    { tag_name: version(w), draft: w.random.chance(0.3) },
    "boss",
  ],
  draftRelease: (w) => ["PATCH", release(w), { draft: w.random.chance(0.5) }],
  moveRelease: (w) => ["PATCH", release(w), { tag_name: version(w) }],
  noteRelease: (w) => ["PATCH", release(w), { body: text(w), prerelease: w.random.chance(0.5) }],
  noRelease: (w) => ["DELETE", release(w)],
  noReleaseOfTag: (w) => ["DELETE", `${repo(w)}/releases/tags/${version(w)}`],
  asset: (w) => ["POST", `${release(w)}/assets?name=b.json`, { text: text(w) }],
  assetElsewhere: (w) => ["POST", `${release(w)}/assets?external_url=https://x.test/c`],
  renameAsset: (w) => ["PATCH", asset(w), { name: w.random.pick(["a.json", "d.json"]) }],
  noAsset: (w) => ["DELETE", asset(w)],
  versionTag: (w) => ["POST", `${repo(w)}/tags`, { tag_name: version(w) }],
  noVersionTag: (w) => ["DELETE", `${repo(w)}/tags/${version(w)}`],
};

const owners: Readonly<Record<string, Verb>> = {
  teamGets: (w) => ["PUT", `${team(w)}${repo(w)}`],
  teamLoses: (w) => ["DELETE", `${team(w)}${repo(w)}`],
  member: (w) => ["PUT", `${team(w)}/members/${somebody(w)}`],
  noMember: (w) => ["DELETE", `${team(w)}/members/${somebody(w)}`],
  leave: (w) => ["DELETE", `/orgs/${w.organization}/members/${somebody(w)}`],
  editTeam: (w) => [
    "PATCH",
    team(w),
    { name: w.random.pick(["one", "two", "three"]), includes_all_repositories: w.random.chance(0.5) },
  ],
  newTeam: (w) => [
    "POST",
    `/orgs/${w.organization}/teams`,
    { name: w.random.pick(["one", "two", "three"]), units: ["repo.code"] },
  ],
  deleteTeam: (w) => ["DELETE", team(w)],
  editOrganization: (w) => ["PATCH", `/orgs/${w.organization}`, { visibility: visibility(w) }],
  renameOrganization: (w) => [
    "POST",
    `/orgs/${w.organization}/rename`,
    { new_name: w.random.pick([w.organization, named(w, "guild")]) },
  ],
  newOrganization: (w) => ["POST", "/orgs", { username: named(w, "guild") }, who(w)],
  organizationsRepository: (w) => ["POST", `/orgs/${w.organization}/repos`, { name: "kode" }],
  deleteOrganization: (w) => ["DELETE", `/orgs/${w.organization}`],
  block: (w) => ["PUT", `/user/block/${somebody(w)}`, undefined, who(w)],
  unblock: (w) => ["PUT", `/user/unblock/${somebody(w)}`, undefined, who(w)],
  follow: (w) => ["PUT", `/user/following/${somebody(w)}`, undefined, who(w)],
  noFollow: (w) => ["DELETE", `/user/following/${somebody(w)}`, undefined, who(w)],
  settings: (w) => ["PATCH", "/user/settings", { full_name: text(w) }, who(w)],
  hideUser: (w) => ["PATCH", `/admin/users/${somebody(w)}`, { visibility: visibility(w) }, "boss"],
  renameUser: (w) => [
    "POST",
    `/admin/users/${somebody(w)}/rename`,
    { new_username: named(w, "guild") },
    "boss",
  ],
  deleteUser: (w) => [
    "DELETE",
    `/admin/users/${somebody(w)}?purge=${w.random.chance(0.5)}`,
    undefined,
    "boss",
  ],
  address: (w) => ["POST", "/user/emails", { emails: [`${named(w, "mail")}@example.com`] }, who(w)],
  noAddress: (w) => ["DELETE", "/user/emails", { emails: [`${named(w, "mail")}@example.com`] }, who(w)],
};

const pull = (world: RaceWorld): string => `${repo(world)}/pulls/${world.random.pick([3, 3, 3, 4, 5])}`;
const target = ({ random }: RaceWorld): string => random.pick(["main", "main", "x", "y"]);

const pulls: Readonly<Record<string, Verb>> = {
  newPull: (w) => [
    "POST",
    `${repo(w)}/pulls`,
    { title: text(w), body: text(w), head: branch(w), base: target(w) },
  ],
  mergePull: (w) => {
    const Do = w.random.pick(["merge", "squash", "rebase", "fast-forward-only"]);
    return ["POST", `${pull(w)}/merge`, { Do, delete_branch_after_merge: w.random.chance(0.3) }];
  },
  mergeLater: (w) => ["POST", `${pull(w)}/merge`, { Do: "merge", merge_when_checks_succeed: true }],
  mergeNot: (w) => ["DELETE", `${pull(w)}/merge`],
  statePull: (w) => ["PATCH", pull(w), { state: w.random.pick(["open", "closed"]) }],
  basePull: (w) => ["PATCH", pull(w), { base: target(w) }],
  updatePull: (w) => ["POST", `${pull(w)}/update`],
  approve: (w) => ["POST", `${pull(w)}/reviews`, { event: "APPROVED", body: text(w) }, "carol"],
  noPull: (w) => ["DELETE", pull(w).replace("/pulls/", "/issues/")],
  readPull: (w) => ["GET", pull(w), undefined, who(w)],
  checked: (w) => ["POST", `${repo(w)}/statuses/${branch(w)}`, { state: "success", context: "x" }],
  headFile: (w) => [
    "POST",
    `${repo(w)}/contents/${w.random.integer(1e6)}.txt`,
    { content, message: text(w), branch: w.random.pick(["main", "x", "x", "y"]) },
  ],
};

/** Every verb by its name. */
export const verbs: Readonly<Record<string, Verb>> = {
  ...tracker,
  ...repositories,
  ...publishing,
  ...owners,
  ...pulls,
};

/** Verbs that get in each other's way, by name. */
export const groups: readonly (readonly string[])[] = [
  "newIssue title state milestone assign noIssue label labels noLabels editLabel deleteLabel deleteSharedLabel newMilestone closeMilestone deleteMilestone deadline units",
  "title comment editComment deleteComment react noReaction reactToComment noIssue lock unlock subscribe state",
  "pin unpin movePin noIssue depend dependNot state time noTime noTimes start stop",
  "teamGets teamLoses member noMember leave editTeam newTeam deleteTeam collaborate noCollaborator",
  "describe hide rename archive topics topic units star noStar watch collaborate noCollaborator transfer accept reject block",
  "file branch noBranch renameBranch tag noTag protect unprotect protectTag rename hide page noPage status archive transfer",
  "transfer accept reject fork newRepository organizationsRepository deleteRepository hide rename collaborate teamGets",
  "settings hideUser renameUser renameOrganization newOrganization address noAddress follow noFollow block unblock editOrganization",
  "deleteUser star follow collaborate member newIssue comment assign time start address transfer accept newOrganization",
  "deleteOrganization organizationsRepository newTeam member teamGets transfer renameOrganization deleteRepository newIssue label",
  "deleteRepository newIssue comment star watch fork transfer collaborate teamGets file branch page time start depend hook newRelease asset",
  "newPull newPull mergePull mergePull statePull basePull updatePull headFile headFile branch noBranch readPull",
  "newPull mergePull mergeLater mergeNot checked approve statePull headFile branch noBranch renameBranch noPull rename",
  "newRelease draftRelease moveRelease noteRelease noRelease noReleaseOfTag asset assetElsewhere renameAsset noAsset versionTag noVersionTag transfer accept",
].map((names) => names.split(" "));
