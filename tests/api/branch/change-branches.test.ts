import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";
import { makeCommit } from "../../core/repository/commits.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let writer: Caller;
let made = 0;
const ids = { old: "", main: "" };

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  writer = await api.makeUser({ name: "writer" });
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: object, as: Caller = alice) =>
  api.call(method, `/repos/alice/${path}`, { as, ...defined({ body }) });
const branchNames = async (repo: string): Promise<string[]> =>
  (await call("GET", `${repo}/branches`)).json.map(({ name }: { name: string }) => name).sort();
const headOf = async (repo: string, branch: string) =>
  (await call("GET", `${repo}/branches/${branch}`)).json?.commit?.id;

/** Branches main (two commits) and x/y (the first of them), a tag v1. */
async function makeBranched(): Promise<string> {
  made += 1;
  const name = `r${made}`;
  await makeRepository(api, alice, name);
  ids.old = await pushFiles(api, alice, name, { files: { f: "1" } });
  await pushRef(api, alice, name, { ref: "refs/heads/x/y", id: ids.old });
  await pushRef(api, alice, name, { ref: "refs/tags/v1", id: ids.old });
  ids.main = await pushFiles(api, alice, name, { files: { f: "2" } });
  await call("PUT", `${name}/collaborators/writer`, { permission: "write" });
  return name;
}

describe("repoCreateBranch", () => {
  it("201: from the default branch, a branch, a tag, a commit; a ref goes before a branch (semantics §24.7, §40)", async () => {
    const name = await makeBranched();
    const make = async (body: object) => {
      const { status, json } = await call("POST", `${name}/branches`, body, writer);
      return [status, json.commit?.id];
    };
    expect(await make({ new_branch_name: "a" })).toEqual([201, ids.main]);
    expect(await make({ new_branch_name: "b/c", old_branch_name: "x/y" })).toEqual([201, ids.old]);
    expect(await make({ new_branch_name: "c", old_ref_name: "v1" })).toEqual([201, ids.old]);
    const short = { new_branch_name: "d", old_ref_name: ids.old.slice(0, 9), old_branch_name: "main" };
    expect(await make(short)).toEqual([201, ids.old]);
    expect(await branchNames(name)).toEqual(["a", "b/c", "c", "d", "main", "x/y"]);
  });

  it("404: unknown sources, an empty repository", async () => {
    const name = await makeBranched();
    const post = async (body: object, repo = name) => (await call("POST", `${repo}/branches`, body)).status;
    expect(await post({ new_branch_name: "a", old_branch_name: "none" })).toBe(404);
    expect(await post({ new_branch_name: "a", old_ref_name: "none" })).toBe(404);
    await makeRepository(api, alice, "empty");
    expect(await post({ new_branch_name: "a" }, "empty")).toBe(404);
  });

  it("409: a branch, a tag or a folder of that name; 422: what git does not allow", async () => {
    const name = await makeBranched();
    const post = async (new_branch_name: string) =>
      (await call("POST", `${name}/branches`, { new_branch_name })).status;
    for (const taken of ["main", "x", "x/y/z", "v1"]) expect(await post(taken)).toBe(409);
    for (const bad of ["a..b", "-a", "a b", "HEAD", "x".repeat(101), ""]) expect(await post(bad)).toBe(422);
  });

  it("401, 403, 423: anonymous, a reader, an archive", async () => {
    const name = await makeBranched();
    const body = { new_branch_name: "n" };
    expect((await api.call("POST", `/repos/alice/${name}/branches`, { body })).status).toBe(401);
    expect((await call("POST", `${name}/branches`, body, bob)).status).toBe(403);
    await call("PATCH", name, { archived: true });
    expect((await call("POST", `${name}/branches`, body)).status).toBe(423);
  });
});

describe("repoDeleteBranch", () => {
  it("204: gone, also under an encoded name; 404 the second time; made again it lives (B-12, D-RAWPATH)", async () => {
    const name = await makeBranched();
    expect((await call("DELETE", `${name}/branches/x%2Fy`, undefined, writer)).status).toBe(204);
    expect((await call("DELETE", `${name}/branches/x/y`)).status).toBe(404);
    expect(await branchNames(name)).toEqual(["main"]);
    await pushRef(api, alice, name, { ref: "refs/heads/x/y", id: ids.old });
    expect(await branchNames(name)).toEqual(["main", "x/y"]);
  });

  it("403: the default branch", async () => {
    const name = await makeBranched();
    expect((await call("DELETE", `${name}/branches/main`)).status).toBe(403);
    expect(await branchNames(name)).toEqual(["main", "x/y"]);
  });
});

describe("repoUpdateBranch", () => {
  it("204: under the new name, at the same commit; the default branch stays the default (semantics §40-3)", async () => {
    const name = await makeBranched();
    expect((await call("PATCH", `${name}/branches/x/y`, { name: "z" }, writer)).status).toBe(204);
    expect(await headOf(name, "z")).toBe(ids.old);
    expect((await call("GET", `${name}/branches/x/y`)).status).toBe(404);
    expect((await call("PATCH", `${name}/branches/main`, { name: "trunk/main" })).status).toBe(204);
    expect((await call("GET", name)).json.default_branch).toBe("trunk/main");
    expect(await headOf(name, "trunk/main")).toBe(ids.main);
    expect((await call("GET", `${name}/contents/f`)).json.html_url).toContain("/branch/trunk/main/f");
  });

  it("422: the name is taken, the same, or none; 404: unknown; 403: a writer and the default branch", async () => {
    const name = await makeBranched();
    const patch = async (branch: string, to: string, as = alice) =>
      (await call("PATCH", `${name}/branches/${branch}`, { name: to }, as)).status;
    expect(await patch("x/y", "main")).toBe(422);
    expect(await patch("x/y", "x/y")).toBe(422);
    expect(await patch("x/y", "a..b")).toBe(422);
    expect(await patch("none", "n")).toBe(404);
    expect(await patch("main", "n", writer)).toBe(403);
    expect(await branchNames(name)).toEqual(["main", "x/y"]);
    const words = async (branch: string, to: string) =>
      (await call("PATCH", `${name}/branches/${branch}`, { name: to })).json.message;
    const taken = "Cannot rename a branch using the same name or rename to a branch that already exists.";
    expect([await words("x/y", "main"), await words("x/y", "x/y")]).toEqual([taken, taken]);
    expect(await words("none", "n")).toBe("Branch doesn't exist.");
  });
});

describe("repoUpdateBranchReference", () => {
  it("204: forward, and back with force; 422 otherwise (semantics §40)", async () => {
    const name = await makeBranched();
    const put = async (branch: string, body: object) =>
      (await call("PUT", `${name}/branches/${branch}`, body, writer)).status;
    expect(await put("x/y", { new_commit_id: ids.main, old_commit_id: ids.main })).toBe(422);
    expect(await put("x/y", { new_commit_id: ids.main, old_commit_id: ids.old })).toBe(204);
    expect(await headOf(name, "x/y")).toBe(ids.main);
    expect(await put("x/y", { new_commit_id: ids.old })).toBe(422);
    expect(await put("x/y", { new_commit_id: ids.old, force: true })).toBe(204);
    expect(await put("x/y", { new_commit_id: "1".repeat(40), force: true })).toBe(422);
    expect(await put("none", { new_commit_id: ids.old })).toBe(404);
  });
});

describe("branch records", () => {
  it("of a repository without any come with the first push, of all branches that it brings (B-12a)", async () => {
    await makeRepository(api, alice, "first-push");
    expect(await branchNames("first-push")).toEqual([]);
    const { json } = await call("GET", "first-push");
    const { id, pack } = makeCommit({ message: "First\n" });
    const branches = ["dev", "main", "x/y"];
    const changes = branches.map((branch) => ({ name: `refs/heads/${branch}`, new: id }));
    const place = { id: json.id, ownerId: json.owner.id };
    await pushToRepository(api.forge, place, { user: alice.user }, { changes, pack });
    expect(await branchNames("first-push")).toEqual(branches);
    for (const branch of branches) expect(await headOf("first-push", branch)).toBe(id);
  });

  it("a push moves the record of its branch and leaves the others as they are (B-12b)", async () => {
    const name = await makeBranched();
    const before = (await call("GET", `${name}/branches/x/y`)).json;
    const id = await pushFiles(api, alice, name, { files: { f: "3" }, message: "Third\n" });
    expect((await call("GET", `${name}/branches/main`)).json.commit).toMatchObject({
      id,
      message: "Third\n",
    });
    expect((await call("GET", `${name}/branches/x/y`)).json).toEqual(before);
  });
});
