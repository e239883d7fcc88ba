import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import {
  type ForkGuard,
  forkGuardKey,
  type Repository,
  repositoryKey,
} from "#core/repository/repository.table";
import { put } from "#core/table/write";
import { createApi } from "#functions/api/app";
import type { Caller } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { withMeanwhile } from "#tests/support/meanwhile";
import { Folders, git, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "./pull-world.ts";

/** Requests whose branches don't fit together, or go while something is done with them. */
let world: PullWorld;
let served: ServedGit;
let bob: Caller;
const folders = new Folders();

beforeAll(async () => {
  world = await makePullWorld();
  served = await serveGit(world.api);
  bob = await world.api.makeUser({ name: "bob" });
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await world.api.stop();
});

const call = (method: string, path: string, body?: object, as = world.alice) =>
  world.api.call(method, path, { as, ...(body && { body }) });
const get = async (path: string) => (await call("GET", path)).json;
const tipOf = async (repository: string, branch: string) =>
  (await get(`${repository}/branches/${branch}`)).commit.id;
/** Of a repository, when all work is done. */
async function findings(repository: string): Promise<object[]> {
  await world.runEvents();
  return checkRepository(world.api.forge, (await get(repository)).id);
}

describe("branches without a common commit", () => {
  it("are requested and shown; no merge (409, then 405) and no update, and nothing changes", async () => {
    const repository = await world.makeRepository("unrelated");
    const copy = await WorkingCopy.init(folders);
    await copy.commit({ "own.txt": "own\n" });
    await copy.git("push", "-q", served.url("alice/unrelated", world.alice), "HEAD:topic");
    const number = await world.open(repository, "topic", "main");
    const told = "base and head have no common history";
    const merge = (Do: string) => call("POST", `${repository}/pulls/${number}/merge`, { Do });
    expect((await merge("merge")).status).toBe(405); // it was judged when it was shown
    const base = await world.commitOn(repository, "main");
    for (const Do of ["merge", "rebase", "rebase-merge", "squash"]) {
      expect([Do, await merge(Do)]).toMatchObject([
        Do,
        {
          status: 409,
          json: { Style: Do, StdOut: "", StdErr: "", Err: told, message: told, url: expect.any(String) },
        },
      ]);
    }
    expect((await merge("fast-forward-only")).status).toBe(409);
    const shown = await get(`${repository}/pulls/${number}`);
    expect(shown).toMatchObject({ state: "open", mergeable: false, merge_base: base });
    expect((await merge("squash")).status).toBe(405);
    for (const style of ["merge", "rebase"]) {
      const { status } = await call("POST", `${repository}/pulls/${number}/update?style=${style}`);
      expect([style, status]).toEqual([style, 409]);
    }
    for (const part of ["/commits", "/files", ".diff", ".patch"]) {
      expect([part, (await call("GET", `${repository}/pulls/${number}${part}`)).status]).toEqual([part, 200]);
    }
    expect([await tipOf(repository, "main"), (await get(repository)).open_pr_counter]).toEqual([base, 1]);
    expect(await findings(repository)).toEqual([]);
  });
});

describe("a request that brings nothing", () => {
  it("is merged without a commit", async () => {
    const repository = await world.makeRepository("nothing");
    const base = await tipOf(repository, "main");
    await call("POST", `${repository}/branches`, { new_branch_name: "topic" });
    const number = await world.open(repository, "topic", "main");
    expect((await call("POST", `${repository}/pulls/${number}/merge`, { Do: "squash" })).status).toBe(200);
    const { merged, merge_commit_sha } = await get(`${repository}/pulls/${number}`);
    expect([merged, merge_commit_sha, await tipOf(repository, "main")]).toEqual([true, base, base]);
    expect(await findings(repository)).toEqual([]);
  });
});

describe("repoMergePullRequest, while a branch goes between its checks and its transaction", () => {
  /** A merge before whose transaction a branch is deleted. */
  async function mergeMeanwhile(repository: string, number: number, happens: () => Promise<unknown>) {
    const app = createApi({ forge: withMeanwhile(world.api.forge, happens) });
    const headers = { authorization: `token ${world.alice.token}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ Do: "merge" }) };
    const answer = await app.request(`/api/v1${repository}/pulls/${number}/merge`, init, {
      clientAddress: "192.0.2.1",
    });
    return answer.status;
  }

  it("the base: nothing is merged, and the request is closed", async () => {
    const repository = await world.makeRepository("no-base");
    await world.commitOn(repository, "release");
    await world.commitOn(repository, "topic");
    const number = await world.open(repository, "topic", "release");
    const status = await mergeMeanwhile(repository, number, () => world.removeBranch(repository, "release"));
    expect(status).toBe(404);
    expect(await get(`${repository}/pulls/${number}`)).toMatchObject({ state: "closed", merged: false });
    expect((await get(repository)).open_pr_counter).toBe(0);
    expect(await findings(repository)).toEqual([]);
  });

  it("the base, which was merged itself: it is merged where it goes from there (B-05)", async () => {
    const repository = await world.makeRepository("moved-base");
    await world.commitOn(repository, "feature");
    await world.commitOn(repository, "child", "feature");
    const first = await world.open(repository, "feature", "main");
    const second = await world.open(repository, "child", "feature");
    expect((await call("POST", `${repository}/pulls/${first}/merge`, { Do: "merge" })).status).toBe(200);
    const removing = () => world.removeBranch(repository, "feature");
    expect(await mergeMeanwhile(repository, second, removing)).toBe(200);
    const { merged, base, merge_commit_sha } = await get(`${repository}/pulls/${second}`);
    expect([merged, base.ref, merge_commit_sha]).toEqual([true, "main", await tipOf(repository, "main")]);
    expect(await findings(repository)).toEqual([]);
  });

  it.each(["own", "fork"])("the head (%s): it is closed, or merged with what it brought", async (kind) => {
    const name = `no-head-${kind}`;
    const repository = await world.makeRepository(name);
    if (kind === "fork") await call("POST", `${repository}/forks`, {}, bob);
    const [place, as] = kind === "fork" ? [`/repos/bob/${name}`, bob] : [repository, world.alice];
    await world.commitOn(place, "topic", "main", as);
    const number = await world.open(repository, kind === "fork" ? "bob:topic" : "topic", "main", as);
    const removing = () => call("DELETE", `${place}/branches/topic`, undefined, as);
    const status = await mergeMeanwhile(repository, number, removing);
    const { state, merged } = await get(`${repository}/pulls/${number}`);
    expect([state, status]).toEqual(["closed", merged ? 200 : 404]);
    expect(await findings(repository)).toEqual([]);
  });
});

describe("a head repository that ends", () => {
  it("deleted: the request is closed and stays readable; it is not opened again (422) and not merged (404)", async () => {
    const repository = await world.makeRepository("forkless");
    await call("POST", `${repository}/forks`, {}, bob);
    const sha = await world.commitOn("/repos/bob/forkless", "topic", "main", bob);
    const number = await world.open(repository, "bob:topic", "main", bob);
    await call("DELETE", "/repos/bob/forkless", undefined, bob);
    await finishJobs(world.api);
    const shown = await get(`${repository}/pulls/${number}`);
    expect(shown).toMatchObject({
      state: "closed",
      head: { sha, repo: null, repo_id: -1, ref: `refs/pull/${number}/head`, label: "topic" },
    });
    const open = await call("PATCH", `${repository}/pulls/${number}`, { state: "open" });
    const merge = await call("POST", `${repository}/pulls/${number}/merge`, { Do: "merge" });
    const renew = await call("POST", `${repository}/pulls/${number}/update`);
    expect([open.status, merge.status, renew.status]).toEqual([422, 404, 422]);
    expect(
      (await get(`${repository}/pulls/${number}/commits`)).map((one: { sha: string }) => one.sha),
    ).toEqual([sha]);
    const copy = `${await folders.make()}/copy`;
    await git("/", ["clone", "-q", served.url("alice/forkless", world.alice), copy]);
    await git(copy, ["fetch", "-q", "origin", `pull/${number}/head`]);
    expect(await git(copy, ["rev-parse", "FETCH_HEAD"])).toBe(sha);
    expect((await get(repository)).open_pr_counter).toBe(0);
    expect(await findings(repository)).toEqual([]);
  });

  it("archived, or its owner renamed, blocked or given away: the request is merged; its author may not open another when blocked", async () => {
    const repository = await world.makeRepository("changing");
    const dan = await world.api.makeUser({ name: "dan" });
    const root = await world.api.makeUser({ name: "root", isAdmin: true });
    await call("POST", `${repository}/forks`, {}, dan);
    const fork = () => "/repos/dan/changing";
    const heads = ["archived", "blocked", "transferred", "renamed"];
    for (const head of heads) await world.commitOn(fork(), head, "main", dan);
    const numbers = new Map<string, number>();
    for (const head of heads) numbers.set(head, await world.open(repository, `dan:${head}`, "main", dan));
    const merge = async (head: string) =>
      (await call("POST", `${repository}/pulls/${numbers.get(head)}/merge`, { Do: "squash" })).status;
    await call("PATCH", fork(), { archived: true }, dan);
    const update = `${repository}/pulls/${numbers.get("archived")}/update`;
    await world.commitOn(repository, "main");
    expect((await call("POST", update, undefined, dan)).status).toBe(403);
    expect(await merge("archived")).toBe(200);
    await call("PATCH", fork(), { archived: false }, dan);
    await call("PUT", "/user/blocks/dan");
    const blocked = { title: "T", head: "dan:main", base: "main" };
    expect((await call("POST", `${repository}/pulls`, blocked, dan)).status).toBe(403);
    expect(await merge("blocked")).toBe(200);
    await call("DELETE", "/user/blocks/dan");
    await call("POST", "/repos/dan/changing/transfer", { new_owner: "bob" }, dan);
    await call("POST", "/repos/dan/changing/transfer/accept", undefined, bob);
    const shown = await get(`${repository}/pulls/${numbers.get("transferred")}`);
    expect(shown).toMatchObject({ state: "open", head: { repo: { full_name: "bob/changing" } } });
    expect(await merge("transferred")).toBe(200);
    await call("POST", "/admin/users/bob/rename", { new_username: "robert" }, root);
    const found = await get(`${repository}/pulls/main/robert:renamed`);
    expect([found.number, await merge("renamed")]).toEqual([numbers.get("renamed"), 200]);
    expect((await get(repository)).open_pr_counter).toBe(0);
    expect(await findings(repository)).toEqual([]);
  });

  it("of the other object format: 404, whatever the table says of its parent", async () => {
    const repository = await world.makeRepository("formats");
    const other = { name: "formats", auto_init: true, object_format_name: "sha256" };
    const made = await call("POST", "/user/repos", other, bob);
    const base = await get(repository);
    const { table } = world.api.forge;
    const guard: ForkGuard = {
      ...forkGuardKey(base.id, bob.user.id),
      forkId: made.json.id,
      _v: 1,
    };
    await table.write(put(guard));
    const fork = await table.get<Repository>(repositoryKey(made.json.id));
    await table.write(put({ ...(fork as Repository), parentId: base.id }));
    const body = { title: "T", head: "bob:main", base: "main" };
    const owner = made.json.owner.login;
    const opened = await call("POST", `${repository}/pulls`, { ...body, head: `${owner}:main` }, bob);
    expect(opened.status).toBe(404);
    expect(await get(`${repository}/pulls?state=all`)).toEqual([]);
  });
});
