import { deepEqual, equal, notEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../support/process/server-process.ts";
import { until } from "../support/until.ts";
import { type Renovate, runRenovate } from "./renovate.ts";
import { type Json, type Member, makeMember } from "./team.ts";

/** Each is a repository of its own, whose tags are its releases. */
const libraries = ["alpha", "beta", "gamma", "delta", "epsilon"];

const repository = "/repos/alice/app";

interface World {
  readonly alice: Member;
  readonly renovate: () => Promise<void>;
}

/** Plays on a server and a folder of its own; prints each step that held, and throws at the first that doesn't. */
export async function playRenovate(project: string, renovate: Renovate): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project, environment: { COMMIT_STATUSES_FORM: "list" } });
  try {
    mkdirSync(join(folder, "renovate"));
    const alice = await makeMember(server, "alice", folder);
    const bot = await makeMember(server, "renovate-bot", folder);
    const run = {
      url: server.url,
      token: bot.token,
      repository: "alice/app",
      folder: join(folder, "renovate"),
      onboarding: configuration(renovate.platform, server.url),
    };
    await makeRepositories(alice);
    for (const [title, step] of steps) {
      await step({ alice, renovate: () => runRenovate(renovate, run) });
      console.log(`ok: ${title}`);
    }
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Beta is merged by Renovate itself, gamma by the service once its checks succeed, the others by people. */
function configuration(platform: Renovate["platform"], url: string): object {
  const files = platform === "gitea" ? { fileMatch: ["\\.txt$"] } : { managerFilePatterns: ["/\\.txt$/"] };
  const versions = {
    customType: "regex",
    ...files,
    matchStrings: ["(?<depName>\\w+)=(?<currentValue>\\S+)"],
    datasourceTemplate: "git-tags",
    packageNameTemplate: `${url}/alice/{{depName}}`,
  };
  return {
    enabledManagers: ["custom.regex"],
    customManagers: [versions],
    dependencyDashboard: true,
    prHourlyLimit: 0,
    labels: ["dependencies"],
    assignees: ["alice"],
    reviewers: ["alice"],
    packageRules: [
      { matchDepNames: ["beta"], automerge: true, platformAutomerge: false },
      { matchDepNames: ["gamma"], automerge: true, platformAutomerge: true },
    ],
  };
}

/** Main demands a check; delta and epsilon are neighbors in one file, so merging one is in the other's way. */
async function makeRepositories(alice: Member): Promise<void> {
  for (const name of [...libraries, "app"]) await alice.call("POST", "/user/repos", { name });
  for (const library of libraries) await alice.push(library, { "README.md": library }, ["1.0.0", "1.1.0"]);
  const alone = ["alpha", "beta", "gamma"].map((library) => [`${library}.txt`, `${library}=1.0.0\n`]);
  await alice.push("app", { ...Object.fromEntries(alone), "both.txt": "delta=1.0.0\nepsilon=1.0.0\n" });
  await alice.call("PUT", `${repository}/collaborators/renovate-bot`, { permission: "write" });
  await alice.call("POST", `${repository}/labels`, { name: "dependencies", color: "#00aabb" });
  const protection = { rule_name: "main", enable_status_check: true, status_check_contexts: ["ci"] };
  await alice.call("POST", `${repository}/branch_protections`, { ...protection, enable_push: true });
}

const steps: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ["asks to be configured, by a request with its configuration", onboard],
  ["opens a request for each update, with label, assignee and reviewer", openRequests],
  ["brings a request up to a newer release: same number, new title and head", updateRequest],
  ["the service merges what is scheduled once its check succeeds", mergeScheduled],
  ["merges by itself once the check succeeds, and deletes the branch", mergeAutomatically],
  ["rebases a request that another one's merge left in conflict", rebaseConflict],
  ["closes the request of a dependency that was removed", closeRemoved],
  ["takes a request that was closed by a person as a no", ignoreClosed],
  ["keeps a dashboard", keepDashboard],
];

async function onboard({ alice, renovate }: World): Promise<void> {
  await renovate();
  const [request, ...others] = await openPulls(alice);
  deepEqual([request.title, request.head.ref, others], ["Configure Renovate", "renovate/configure", []]);
  await succeed(alice, request);
  await alice.call("POST", `${repository}/pulls/${request.number}/merge`, { Do: "squash" });
}

async function openRequests({ alice, renovate }: World): Promise<void> {
  await renovate();
  const pulls = await openPulls(alice);
  deepEqual(
    pulls.map((pull) => pull.title).sort(),
    libraries.map((library) => title(library, "1.1.0")).sort(),
  );
  // It assigns nobody to what merges by itself.
  const { user, labels, assignees, requested_reviewers } = await openPull(alice, "alpha", "1.1.0");
  equal(user.login, "renovate-bot");
  deepEqual(
    [names(labels, "name"), names(assignees), names(requested_reviewers)],
    [["dependencies"], ["alice"], ["alice"]],
  );
}

async function updateRequest({ alice, renovate }: World): Promise<void> {
  const before = await openPull(alice, "alpha", "1.1.0");
  await alice.push("alpha", { "README.md": "more" }, ["1.2.0"]);
  await renovate();
  const after = await openPull(alice, "alpha", "1.2.0");
  deepEqual([after.number, after.head.ref], [before.number, before.head.ref]);
  notEqual(after.head.sha, before.head.sha);
  equal(await contentOf(alice, "alpha.txt", after.head.ref), "alpha=1.2.0\n");
}

async function mergeScheduled({ alice }: World): Promise<void> {
  const pull = await openPull(alice, "gamma", "1.1.0");
  await succeed(alice, pull);
  await until(() => isMerged(alice, pull));
  equal(await contentOf(alice, "gamma.txt", "main"), "gamma=1.1.0\n");
  await until(async () => !(await branches(alice)).includes(pull.head.ref));
}

async function mergeAutomatically({ alice, renovate }: World): Promise<void> {
  const { number, head } = await openPull(alice, "beta", "1.1.0");
  await renovate();
  const pull = await openPull(alice, "beta", "1.1.0");
  equal(pull.number, number);
  await succeed(alice, pull);
  await renovate();
  equal((await getPull(alice, number)).merged_by.login, "renovate-bot");
  equal(await contentOf(alice, "beta.txt", "main"), "beta=1.1.0\n");
  equal((await branches(alice)).includes(head.ref), false);
}

async function rebaseConflict({ alice, renovate }: World): Promise<void> {
  const delta = await openPull(alice, "delta", "1.1.0");
  await succeed(alice, delta);
  await alice.call("POST", `${repository}/pulls/${delta.number}/merge`, {
    Do: "merge",
    delete_branch_after_merge: true,
  });
  const before = await openPull(alice, "epsilon", "1.1.0");
  equal(before.mergeable, false);
  await renovate();
  const after = await openPull(alice, "epsilon", "1.1.0");
  deepEqual([after.number, after.mergeable], [before.number, true]);
  equal(await contentOf(alice, "both.txt", after.head.ref), "delta=1.1.0\nepsilon=1.1.0\n");
}

async function closeRemoved({ alice, renovate }: World): Promise<void> {
  const pull = await openPull(alice, "alpha", "1.2.0");
  await alice.push("app", { "alpha.txt": undefined });
  await renovate();
  const closed = await getPull(alice, pull.number);
  deepEqual([closed.state, closed.merged, closed.title], ["closed", false, `${pull.title} - autoclosed`]);
  equal((await branches(alice)).includes(pull.head.ref), false);
}

async function ignoreClosed({ alice, renovate }: World): Promise<void> {
  const pull = await openPull(alice, "epsilon", "1.1.0");
  await alice.call("PATCH", `${repository}/pulls/${pull.number}`, { state: "closed" });
  await renovate();
  await renovate();
  deepEqual(await openPulls(alice), []);
  const comments = await alice.call("GET", `${repository}/issues/${pull.number}/comments`);
  deepEqual(
    comments.map((comment: Json) => comment.body.split("\n")[0]),
    ["### Renovate Ignore Notification"],
  );
  equal((await branches(alice)).includes(pull.head.ref), false);
}

async function keepDashboard({ alice }: World): Promise<void> {
  const issues = await alice.call("GET", `${repository}/issues?state=open&type=issues`);
  deepEqual(names(issues, "title"), ["Dependency Dashboard"]);
}

const title = (library: string, version: string) => `Update dependency ${library} to v${version}`;

const names = (things: readonly Json[], field = "login"): string[] => things.map((thing) => thing[field]);

const openPulls = (member: Member): Promise<Json[]> => member.call("GET", `${repository}/pulls?state=open`);

async function openPull(member: Member, library: string, version: string): Promise<Json> {
  const pulls = await openPulls(member);
  const pull = pulls.find((one) => one.title === title(library, version));
  if (pull === undefined)
    throw new Error(`no open request of ${library} ${version}: ${names(pulls, "title")}`);
  return getPull(member, pull.number);
}

const getPull = (member: Member, number: number): Promise<Json> =>
  member.call("GET", `${repository}/pulls/${number}`);

const isMerged = async (member: Member, pull: Json): Promise<boolean> =>
  (await getPull(member, pull.number)).merged;

async function succeed(member: Member, pull: Json): Promise<void> {
  await member.call("POST", `${repository}/statuses/${pull.head.sha}`, { context: "ci", state: "success" });
}

const branches = async (member: Member): Promise<string[]> =>
  names(await member.call("GET", `${repository}/branches`), "name");

async function contentOf(member: Member, path: string, ref: string): Promise<string> {
  const query = `?ref=${encodeURIComponent(ref)}`;
  const { content } = await member.call("GET", `${repository}/contents/${path}${query}`);
  return Buffer.from(content, "base64").toString();
}
