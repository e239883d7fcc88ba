import { afterAll, beforeAll } from "vitest";
import { issueKey } from "#core/issue/issue.table";
import { followHead } from "#core/pull/follow/follow-head";
import type { PullRequest } from "#core/pull/pull.table";
import { reviewProblems } from "#core/review/approval";
import { ruleOfBase } from "#core/review/official";
import { openPull } from "#tests/api/pull/make";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { Folders, git, WorkingCopy } from "#tests/git/http/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

/** For the file that calls it: alice's requests, which bob reviews and carol looks at. */
export function reviewedPulls() {
  const api = {} as TestApi;
  const alice = {} as Caller;
  const bob = {} as Caller;
  const carol = {} as Caller;

  const kept = (middle: string, top = "") => `${top}1\n2\n3\n4\n5\n${middle}\n7\n8\n9\n`;

  const folders = new Folders();
  const server = {} as ServedGit;

  /** A clone of a repository of alice's, by git. */
  async function served(repository: string): Promise<WorkingCopy> {
    const folder = await folders.make();
    await git(folder, ["clone", "-q", server.url(`alice/${repository}`, alice), "copy"]);
    return new WorkingCopy(`${folder}/copy`);
  }

  const made = {} as { name: string; repositoryId: number; base: string };

  beforeAll(async () => {
    Object.assign(api, await makeApi());
    Object.assign(server, await serveGit(api));
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob" }));
    Object.assign(carol, await api.makeUser({ name: "carol" }));
  });
  afterAll(async () => {
    await server.stop();
    await folders.remove();
    await api.stop();
  });

  /** A request of alice's that changes the middle of a file, under a rule; bob may write. */
  async function makePull(rule: object): Promise<void> {
    made.name = `r${(made.repositoryId ?? 0) + 1}`;
    made.repositoryId = await makeRepository(api, alice, made.name);
    made.base = `/repos/alice/${made.name}`;
    await pushFiles(api, alice, made.name, { files: { "kept.txt": kept("6") } });
    await push("six");
    const body = { permission: "write" };
    await api.call("PUT", `${made.base}/collaborators/bob`, { as: alice, body });
    await api.call("POST", `${made.base}/branch_protections`, {
      as: alice,
      body: { rule_name: "main", ...rule },
    });
    await openPull(api, made.base, { as: alice });
  }

  const push = (middle: string) =>
    pushFiles(api, alice, made.name, { branch: "topic", from: "main", files: { "kept.txt": kept(middle) } });

  const review = async (body: object, as = bob) =>
    (await api.call("POST", `${made.base}/pulls/1/reviews`, { as, body })).json;
  const reviews = async () => (await api.call("GET", `${made.base}/pulls/1/reviews`, { as: carol })).json;

  /** What the rule misses, as a merge asks. */
  async function problems(): Promise<string[]> {
    const kept = await api.forge.table.get<PullRequest>(issueKey(made.repositoryId, 1));
    const pull = await followHead(api.forge, kept as PullRequest);
    const rule = await ruleOfBase(api.forge, pull);
    return rule === undefined ? ["no rule"] : reviewProblems(api.forge, pull, rule);
  }

  const lacking = ["the branch takes 1 approvals, and there are 0"];

  return { api, alice, bob, carol, kept, served, made, makePull, push, review, reviews, problems, lacking };
}
