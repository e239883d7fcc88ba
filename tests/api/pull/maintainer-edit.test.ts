import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import type { Repository } from "#core/repository/repository.table";
import { repositoryKey } from "#core/repository/repository.table";
import type { Caller } from "#tests/support/api";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { makeCommit } from "../../core/repository/commits.ts";
import { Folders, git, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "./pull-world.ts";

let world: PullWorld;
let served: ServedGit;
let bob: Caller;
let carol: Caller;
const folders = new Folders();

beforeAll(async () => {
  world = await makePullWorld();
  served = await serveGit(world.api);
  bob = await world.api.makeUser({ name: "bob" });
  carol = await world.api.makeUser({ name: "carol" });
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await world.api.stop();
});

const call = (method: string, path: string, as: Caller, body?: object) =>
  world.api.call(method, path, { as, ...(body && { body }) });

/** A request into alice's repository from bob's fork, which lets maintainers edit its branch `work`. */
async function requested(name: string, isLetting = true) {
  const base = await world.makeRepository(name);
  await call("POST", `${base}/forks`, bob, {});
  const fork = `/repos/bob/${name}`;
  const tip = await world.commitOn(fork, "work", "main", bob);
  await world.commitOn(fork, "other", "main", bob);
  const body = { title: "T", head: "bob:work", base: "main", allow_maintainer_edit: isLetting };
  const { json } = await call("POST", `${base}/pulls`, bob, body);
  return { base, fork, tip, pull: `${base}/pulls/${json.number}`, number: json.number as number };
}

/** A clone by somebody, with a new commit on a branch. */
async function cloneOf(
  path: string,
  as: Caller,
  branch = "work",
): Promise<{ copy: WorkingCopy; id: string }> {
  const folder = await folders.make();
  await git(folder, ["clone", "-q", "-b", branch, served.url(path, as), "copy"]);
  const copy = new WorkingCopy(`${folder}/copy`);
  return { copy, id: await copy.commit({ "more.txt": path }) };
}

const refused403 = /error: 403/;
const guest = /rejected\].*only to branches whose pull requests let maintainers edit them/g;

describe("allow_maintainer_edit: git push to the head of a request, by users who may write to its base (semantics §45)", () => {
  it("lands, forced too, and the request follows; no other ref, no deletion, nothing new", async () => {
    const { base, number } = await requested("shared");
    const { copy, id } = await cloneOf("bob/shared", world.alice);
    const told = await copy.try("push", "origin", "HEAD:work");
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining(`/alice/shared/pulls/${number}`)]);
    expect((await world.show(base, number)).sha).toBe(id);
    expect(await world.timeline(base, number)).toEqual(["pull_push"]);
    await copy.git("reset", "-q", "--hard", "HEAD~1");
    const forced = await copy.commit({ "other.txt": "b" });
    await copy.git("push", "-q", "-f", "origin", "HEAD:work");
    expect((await world.show(base, number)).sha).toBe(forced);
    await copy.commit({ "last.txt": "c" });
    const refs = ["HEAD:other", "HEAD:main", "HEAD:fresh", "HEAD:refs/tags/v1", "HEAD:work"];
    const mixed = await copy.try("push", "-f", "origin", ...refs);
    expect([mixed.code, mixed.stderr.match(guest)?.length]).toEqual([1, 4]);
    const deleted = await copy.try("push", "origin", ":work");
    expect([deleted.code, deleted.stderr]).toEqual([1, expect.stringContaining("may no longer push here")]);
    const atomic = await copy.try("push", "--atomic", "-f", "origin", "HEAD~1:work", "HEAD:other");
    expect(atomic.code).toBe(1);
    expect((await world.show(base, number)).sha).toBe(await copy.git("rev-parse", "HEAD"));
  });

  it("403 for readers of the base, and when the request does not allow it, no longer allows it, or is closed (D-REFUSE)", async () => {
    const { pull } = await requested("ended");
    const pushAs = async (as: Caller) =>
      (await cloneOf("bob/ended", as)).copy.try("push", "-q", "origin", "work");
    expect((await pushAs(carol)).stderr).toMatch(refused403);
    await call("PATCH", pull, bob, { allow_maintainer_edit: false });
    expect((await pushAs(world.alice)).stderr).toMatch(refused403);
    await call("PATCH", pull, bob, { allow_maintainer_edit: true });
    expect((await pushAs(world.alice)).code).toBe(0);
    await call("PATCH", pull, bob, { state: "closed" });
    expect((await pushAs(world.alice)).stderr).toMatch(refused403);
    await call("PATCH", pull, bob, { state: "open" });
    expect((await pushAs(world.alice)).code).toBe(0);
    await call("PUT", "/repos/alice/ended/collaborators/carol", world.alice, { permission: "write" });
    expect((await pushAs(carol)).code).toBe(0);
    const scope = await world.api.makeToken(carol, ["read:repository"]);
    expect((await pushAs({ ...carol, token: scope })).stderr).toMatch(refused403);
  });

  it("lets nobody push to a branch of others by a request of their own from there", async () => {
    const base = await world.makeRepository("victim");
    await call("POST", `${base}/forks`, bob, { name: "trap" });
    await world.commitOn(base, "release");
    const body = { title: "T", head: "alice:release", base: "main", allow_maintainer_edit: true };
    const { status, json } = await call("POST", "/repos/bob/trap/pulls", bob, body);
    expect([status, json.allow_maintainer_edit]).toEqual([201, false]);
    const let1 = await call("PATCH", `/repos/bob/trap/pulls/${json.number}`, bob, {
      allow_maintainer_edit: true,
    });
    expect(let1.status).toBe(403);
    const { copy } = await cloneOf("alice/victim", bob, "release");
    expect((await copy.try("push", "origin", "HEAD:release")).stderr).toMatch(refused403);
    // Once it was theirs to give away: not after they lost it.
    await call("PUT", `${base}/collaborators/bob`, world.alice, { permission: "write" });
    const given = { ...body, base: "release" };
    await call("POST", "/repos/bob/trap/branches", bob, { new_branch_name: "release" });
    const second = await call("POST", "/repos/bob/trap/pulls", bob, given);
    expect([second.status, second.json.allow_maintainer_edit]).toEqual([201, true]);
    await call("DELETE", `${base}/collaborators/bob`, world.alice);
    const late = await copy.try("push", "origin", "HEAD:release");
    expect(late.stderr).toContain("may no longer push here");
  });

  it("the fork's rules hold: a protected head takes pushes of those alone who may write there, an archive none", async () => {
    const { fork } = await requested("ruled");
    const { copy } = await cloneOf("bob/ruled", world.alice);
    await call("POST", `${fork}/branch_protections`, bob, { rule_name: "work", enable_push: true });
    expect((await copy.try("push", "origin", "work")).stderr).toContain("protected by the rule work");
    await call("PATCH", `${fork}/branch_protections/work`, bob, {
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob"],
    });
    expect((await copy.try("push", "origin", "work")).stderr).toContain("protected by the rule work");
    await call("DELETE", `${fork}/branch_protections/work`, bob);
    expect((await copy.try("push", "-q", "origin", "work")).code).toBe(0);
    await call("PATCH", fork, bob, { archived: true });
    await copy.commit({ b: "b" });
    expect((await copy.try("push", "origin", "work")).stderr).toMatch(refused403);
  });
});

describe("allow_maintainer_edit: rights are judged at the moment of the commit", () => {
  it.each([
    ["the request is closed", "PATCH", "pull", { state: "closed" }],
    ["the permission is withdrawn", "PATCH", "pull", { allow_maintainer_edit: false }],
    ["the pusher loses their rights at the base", "DELETE", "collaborator", undefined],
  ] as const)("refused when %s between judgement and transaction", async (title, method, what, body) => {
    const name = `late-${title.length}`;
    const { base, fork, pull, tip } = await requested(name);
    await call("PUT", `${base}/collaborators/carol`, world.alice, { permission: "write" });
    const paths = { pull, collaborator: `${base}/collaborators/carol` };
    const { json } = await call("GET", fork, bob);
    const repository = (await world.api.forge.table.get<Repository>(repositoryKey(json.id))) as Repository;
    const push = async (old: string, meanwhile: () => Promise<unknown>) => {
      const { id, pack } = makeCommit({ parents: [old] });
      const changes = [{ name: "refs/heads/work", old, new: id }];
      const forge = withMeanwhile(world.api.forge, meanwhile);
      const outcome = await pushToRepository(forge, repository, { user: carol.user }, { changes, pack });
      if (outcome.kind !== "done") throw new Error(outcome.kind);
      return { id, refusals: outcome.results.map(({ refusal }) => refusal) };
    };
    const commented = () => call("POST", `${pull.replace("pulls", "issues")}/comments`, bob, { body: "hm" });
    const landed = await push(tip, commented);
    expect(landed.refusals).toEqual([undefined]);
    const as = what === "pull" ? bob : world.alice;
    const late = await push(landed.id, () => call(method, paths[what], as, body));
    expect(late.refusals).toEqual(["you may no longer push here"]);
  });
});

describe("repoUpdatePullRequest by who may write to the base", () => {
  it("200 when the request lets maintainers edit its head; 403 when it does not, or the head is protected", async () => {
    const { base, fork, pull, tip } = await requested("updated");
    const newest = await world.commitOn(base, "main");
    await call("POST", `${fork}/branch_protections`, bob, { rule_name: "work", enable_push: true });
    expect((await call("POST", `${pull}/update`, world.alice)).status).toBe(403);
    await call("DELETE", `${fork}/branch_protections/work`, bob);
    await call("PATCH", pull, bob, { allow_maintainer_edit: false });
    expect((await call("POST", `${pull}/update`, world.alice)).status).toBe(403);
    await call("PATCH", pull, bob, { allow_maintainer_edit: true });
    expect((await call("POST", `${pull}/update`, carol)).status).toBe(403);
    expect((await call("POST", `${pull}/update`, world.alice)).status).toBe(200);
    const { json } = await call("GET", pull, bob);
    const commit = await call("GET", `${fork}/git/commits/${json.head.sha}`, bob);
    expect(commit.json.parents.map(({ sha }: { sha: string }) => sha)).toEqual([tip, newest]);
  });
});
