import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { openPullsFromAnyBranch, pullsPartition } from "#core/pull/pull.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { commitOn, makeBase, openPull } from "./make.ts";

let api: TestApi;
let admin: Caller;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "root", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

const get = (path: string, as = alice) => api.call("GET", path, { as });
const idOf = async (path: string, as = alice): Promise<number> => (await get(path, as)).json.id;
const rowsOf = async (id: number) =>
  (await api.forge.table.queryAll({ pk: pullsPartition(id) })).map(({ sk }) => sk.split("#")[0]);

/** Alice's repository with a request (1) from bob's fork; the paths of both. */
async function makeForked(name: string, as = bob) {
  const base = await makeBase(api, alice, name);
  const { json } = await api.call("POST", `${base}/forks`, { as, body: {} });
  const fork = `/repos/${json.full_name}`;
  await commitOn(api, fork, "topic", "a", { as });
  const pull = await openPull(api, base, { as, head: `${as.name}:topic` });
  return { base, fork, pull, baseId: await idOf(base), forkId: json.id as number };
}

const headless = { ref: "refs/pull/1/head", repo_id: -1, repo: null, label: "topic" };

describe("issueDelete, of a pull request", () => {
  it("204: its rows and refs/pull/1/head go too, and another one between the branches may be opened at once", async () => {
    const { base, fork, baseId, forkId } = await makeForked("removed");
    await api.call("DELETE", `${base}/issues/1`, { as: alice });
    expect((await get(`${base}/pulls/1`)).status).toBe(404);
    expect((await get(base)).json.open_pr_counter).toBe(0);
    expect([await rowsOf(baseId), await rowsOf(forkId)]).toEqual([[], []]);
    expect((await openPull(api, base, { as: bob, head: "bob:topic" })).number).toBe(2);
    await finishJobs(api);
    const refs = async (number: number) => (await get(`${base}/git/refs/pull/${number}/head`)).status;
    expect([await refs(1), await refs(2)]).toEqual([404, 200]);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
    expect(await checkRepository(api.forge, await idOf(fork, bob))).toEqual([]);
  });
});

describe("repoDelete, of a request's repositories", () => {
  it("of the head: the request is closed, its commits stay with the base", async () => {
    const { base, fork, pull, baseId } = await makeForked("headless");
    await api.call("DELETE", fork, { as: bob });
    await finishJobs(api);
    const { json } = await get(`${base}/pulls/1`);
    expect(json).toMatchObject({ state: "closed", merged: false, head: { ...headless, sha: pull.head.sha } });
    expect((await get(`${base}/pulls/1/commits`)).json).toMatchObject([{ sha: pull.head.sha }]);
    expect((await get(`${base}/pulls/1.diff`)).text).toContain("+a");
    expect((await get(`${base}/issues/1/timeline`)).json).toMatchObject([
      { type: "close", user: { login: "Ghost" } },
    ]);
    const again = { as: alice, body: { state: "open" } };
    expect((await api.call("PATCH", `${base}/pulls/1`, again)).status).toBe(422);
    expect((await get(base)).json.open_pr_counter).toBe(0);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });

  it("of the base: nothing of it is left at the head", async () => {
    const { base, fork, forkId, baseId } = await makeForked("baseless");
    await api.call("DELETE", base, { as: alice });
    await finishJobs(api);
    expect([await rowsOf(baseId), await rowsOf(forkId)]).toEqual([[], []]);
    expect((await commitOn(api, fork, "topic", "more", { as: bob })).length).toBe(40);
    expect(await checkRepository(api.forge, forkId)).toEqual([]);
  });
});

describe("repoTransfer, userRenamed and repoEdit, of a request's repositories", () => {
  it("the request stays open, and shows both under the names that they have now", async () => {
    const carol = await api.makeUser({ name: "carol" });
    const { base, fork, baseId, forkId } = await makeForked("moving", carol);
    await api.call("PATCH", fork, { as: carol, body: { name: "moved-fork" } });
    await api.call("POST", "/orgs", { as: alice, body: { username: "movers" } });
    await api.call("POST", `${base}/transfer`, { as: alice, body: { new_owner: "movers" } });
    await api.call("POST", "/admin/users/carol/rename", { as: admin, body: { new_username: "caroline" } });
    const { json } = await get("/repos/movers/moving/pulls/1");
    expect(json).toMatchObject({
      ...{ state: "open", user: { login: "caroline" } },
      base: { repo: { full_name: "movers/moving" } },
      head: { ref: "topic", repo: { full_name: "caroline/moved-fork" } },
    });
    const by = async (head: string) => (await get(`/repos/movers/moving/pulls/main/${head}`)).status;
    expect(await by("caroline:topic")).toBe(200);
    expect(await api.forge.table.queryAll(openPullsFromAnyBranch(forkId))).toHaveLength(1);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });

  it("a head whose owner hides is hidden, too, and goes on (semantics §3.7)", async () => {
    const fay = await api.makeUser({ name: "fay" });
    const { base, fork, pull, baseId } = await makeForked("veiled", fay);
    const hide = { visibility: "private", source_id: 0, login_name: "fay" };
    await api.call("PATCH", "/admin/users/fay", { as: admin, body: hide });
    const hidden = { ...headless, ref: "topic" };
    expect((await get(`${base}/pulls/1`)).json.head).toEqual({ ...hidden, sha: pull.head.sha });
    expect((await get(`${base}/pulls/1`, fay)).json.head.repo).toMatchObject({ full_name: "fay/veiled" });
    const sha = await commitOn(api, fork, "topic", "more", { as: fay });
    expect((await get(`${base}/pulls/1`)).json.head).toEqual({ ...hidden, sha });
    await api.call("PATCH", `${base}/pulls/1`, { as: alice, body: { state: "closed" } });
    expect((await get(`${base}/pulls/1`)).json.head).toEqual({ ...headless, sha });
    await finishJobs(api);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });
});

describe("adminDeleteUser, of a request's author", () => {
  it("204: their requests stay, by nobody, without the fork; purged, they go with their refs (B-14)", async () => {
    const dora = await api.makeUser({ name: "dora" });
    const kept = await makeForked("kept", dora);
    await api.call("DELETE", kept.fork, { as: dora });
    await finishJobs(api);
    await api.call("DELETE", "/admin/users/dora", { as: admin });
    await finishJobs(api);
    const { json } = await get(`${kept.base}/pulls/1`);
    expect(json).toMatchObject({ user: { login: "Ghost" }, state: "closed", head: headless });

    const emil = await api.makeUser({ name: "emil" });
    const gone = await makeForked("gone", emil);
    await api.call("DELETE", "/admin/users/emil?purge=true", { as: admin });
    await finishJobs(api);
    expect((await get(`${gone.base}/pulls/1`)).status).toBe(404);
    expect((await get(`${gone.base}/git/refs/pull/1/head`)).status).toBe(404);
    expect(await rowsOf(gone.baseId)).toEqual([]);
    for (const { baseId } of [kept, gone]) expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });
});
