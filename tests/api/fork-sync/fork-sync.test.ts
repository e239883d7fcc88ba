import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
});
afterAll(() => api.stop());

const call = (method: string, path: string, as?: Caller, body?: object) =>
  api.call(method, `/repos/${path}`, { as, ...defined({ body }) });

/** Alice's repository with a commit, and bob's fork of it. */
async function makeFork(options: object = {}): Promise<{ name: string; id: number; first: string }> {
  made += 1;
  const name = `r${made}`;
  await makeRepository(api, alice, name, options);
  const first = await pushFiles(api, alice, name, { files: { f: "1\n", g: "1\n" } });
  const { json } = await call("POST", `alice/${name}/forks`, bob, {});
  return { name, id: json.id, first };
}

describe("repoSyncForkDefaultInfo", () => {
  it.each(["sha1", "sha256"])(
    "behind by two, then even: %s (semantics §40-5)",
    async (object_format_name) => {
      const { name, id, first } = await makeFork({ object_format_name });
      const even = { allowed: false, fork_commit: first, base_commit: first, commits_behind: 0 };
      expect((await call("GET", `bob/${name}/sync_fork`)).json).toEqual(even);
      await pushFiles(api, alice, name, { files: { f: "2\n" } });
      const tip = await pushFiles(api, alice, name, { files: { "new/file": "3\n" } });
      expect((await call("GET", `bob/${name}/sync_fork`)).json).toEqual({
        ...{ allowed: true, fork_commit: first, base_commit: tip, commits_behind: 2 },
      });
      expect((await call("POST", `bob/${name}/sync_fork`, bob)).status).toBe(204);
      expect((await call("GET", `bob/${name}/sync_fork`)).json).toMatchObject({
        fork_commit: tip,
        allowed: false,
      });
      expect((await call("POST", `bob/${name}/sync_fork`, bob)).status).toBe(400);
      expect((await call("GET", `bob/${name}/contents/new/file`)).status).toBe(200);
      expect(await checkRepository(api.forge, id)).toEqual([]);
    },
  );
});

describe("repoSyncForkDefault", () => {
  it("400: commits of its own, no fork; 404: the default branch is not there", async () => {
    const { name } = await makeFork();
    await pushFiles(api, alice, name, { files: { f: "2\n" } });
    await pushFiles(api, bob, name, { files: { g: "own\n" } });
    expect((await call("GET", `bob/${name}/sync_fork`)).json).toMatchObject({
      allowed: false,
      commits_behind: 1,
    });
    expect((await call("POST", `bob/${name}/sync_fork`, bob)).status).toBe(400);
    expect((await call("GET", `alice/${name}/sync_fork`)).status).toBe(400);
    expect((await call("POST", `alice/${name}/sync_fork`, alice)).status).toBe(400);
    await makeRepository(api, alice, "nothing");
    await call("POST", "alice/nothing/forks", bob, {});
    expect((await call("GET", "bob/nothing/sync_fork")).status).toBe(404);
  });

  it("401, 403, 423: anonymous, a reader, an archive; a protected branch stays; 404: a parent that is hidden now", async () => {
    const { name } = await makeFork();
    await pushFiles(api, alice, name, { files: { f: "2\n" } });
    const statuses = await Promise.all(
      [undefined, carol].map((as) => call("POST", `bob/${name}/sync_fork`, as)),
    );
    expect(statuses.map(({ status }) => status)).toEqual([401, 403]);
    await call("POST", `bob/${name}/branch_protections`, bob, { rule_name: "main" });
    expect((await call("POST", `bob/${name}/sync_fork`, bob)).status).toBe(403);
    expect((await call("POST", `bob/${name}/merge-upstream`, bob, { branch: "main" })).status).toBe(403);
    await call("PATCH", `bob/${name}`, bob, { archived: true });
    expect((await call("POST", `bob/${name}/sync_fork`, bob)).status).toBe(423);
    expect((await call("POST", `bob/${name}/merge-upstream`, bob, {})).status).toBe(423);
    expect((await call("GET", `bob/${name}/sync_fork`)).json).toMatchObject({
      allowed: false,
      commits_behind: 1,
    });
    await call("PATCH", `bob/${name}`, bob, { archived: false });
    await call("PATCH", `alice/${name}`, alice, { private: true });
    expect((await call("GET", `bob/${name}/sync_fork`, bob)).status).toBe(404);
    expect((await call("POST", `bob/${name}/sync_fork`, bob)).status).toBe(404);
  });

  it("race: of two at the same time both tell the truth, and the branch is where the parent's is", async () => {
    const { name } = await makeFork();
    const tip = await pushFiles(api, alice, name, { files: { f: "2\n" } });
    const both = await Promise.all([1, 2].map(() => call("POST", `bob/${name}/sync_fork`, bob)));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 400]);
    expect((await call("GET", `bob/${name}/branches/main`)).json.commit.id).toBe(tip);
  });
});

describe("repoSyncForkBranchInfo", () => {
  it("200: one that the parent lacks; 404: one that the fork lacks (D-RAWPATH)", async () => {
    const { name } = await makeFork();
    for (const branch of ["x/y", "x%2Fy"]) {
      expect((await call("GET", `bob/${name}/sync_fork/${branch}`)).status).toBe(404);
    }
    await call("POST", `bob/${name}/branches`, bob, { new_branch_name: "x/y" });
    const { json } = await call("GET", `bob/${name}/sync_fork/x/y`);
    expect(json).toMatchObject({ allowed: false, base_commit: "" });
  });
});

describe("repoSyncForkBranch", () => {
  it("204: a branch with slashes; 400: one that the parent lacks (D-RAWPATH)", async () => {
    const { name } = await makeFork();
    await call("POST", `bob/${name}/branches`, bob, { new_branch_name: "x/y" });
    expect((await call("POST", `bob/${name}/sync_fork/x/y`, bob)).status).toBe(400);
    const tip = await pushFiles(api, alice, name, { branch: "x/y", from: "main", files: { h: "1\n" } });
    const { json } = await call("GET", `bob/${name}/sync_fork/x%2Fy`);
    expect(json).toMatchObject({ allowed: true, base_commit: tip });
    expect((await call("POST", `bob/${name}/sync_fork/x/y`, bob)).status).toBe(204);
    expect((await call("GET", `bob/${name}/branches/x/y`)).json.commit.id).toBe(tip);
  });
});

describe("repoMergeUpstream", () => {
  const merge = async (name: string, body: object = {}) => {
    const { status, json } = await call("POST", `bob/${name}/merge-upstream`, bob, body);
    return status === 200 ? json.merge_type : status;
  };

  it("200: even, forward, and by a merge that keeps both sides (semantics §40)", async () => {
    const { name, id } = await makeFork();
    expect(await merge(name, { branch: "main" })).toBe("up-to-date");
    const theirs = await pushFiles(api, alice, name, { files: { f: "theirs\n" } });
    expect(await merge(name)).toBe("fast-forward");
    const later = await pushFiles(api, alice, name, { files: { "a/b": "later\n" } });
    const own = await pushFiles(api, bob, name, { files: { g: "own\n" } });
    expect(await merge(name, { ff_only: true })).toBe(400);
    expect(await merge(name, { ff_only: false })).toBe("merge");
    const { json } = await call("GET", `bob/${name}/git/commits/main`);
    expect(json.parents.map(({ sha }: { sha: string }) => sha)).toEqual([own, later]);
    expect(json.commit.author.name).toBe("bob");
    const texts = await Promise.all(
      ["f", "g", "a/b"].map(async (path) => (await call("GET", `bob/${name}/raw/${path}`)).text),
    );
    expect(texts).toEqual(["theirs\n", "own\n", "later\n"]);
    expect((await call("GET", `bob/${name}/commits?sha=${theirs}`)).json.length).toBe(2);
    expect(await checkRepository(api.forge, id)).toEqual([]);
  });

  it("409: a conflict, and nothing changes; 400: no fork; 404: a branch that either lacks; 403: a reader", async () => {
    const { name } = await makeFork();
    await pushFiles(api, alice, name, { files: { f: "theirs\n" } });
    const own = await pushFiles(api, bob, name, { files: { f: "own\n" } });
    expect(await merge(name)).toBe(409);
    expect((await call("GET", `bob/${name}/branches/main`)).json.commit.id).toBe(own);
    expect((await call("POST", `alice/${name}/merge-upstream`, alice, {})).status).toBe(400);
    expect((await call("POST", `bob/${name}/merge-upstream`, carol, {})).status).toBe(403);
    expect(await merge(name, { branch: "none" })).toBe(404);
    await call("POST", `bob/${name}/branches`, bob, { new_branch_name: "mine" });
    expect(await merge(name, { branch: "mine" })).toBe(404);
  });
});
