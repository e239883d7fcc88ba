import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { followVisibility } from "#core/repository/fork/fork-changes";
import type { Table } from "#core/table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { changeNextRequest } from "#tests/support/race/next-request";
import { makeOrganization, makeRepository } from "../../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await makeOrganization(api, alice, "cloak", { visibility: "private" });
});
afterAll(() => api.stop());

const statusOf = async (path: string, as?: Caller) => (await api.call("GET", path, { as })).status;

/** A repository of the hidden organization that all its members may read, and alice's fork of it. */
async function makeFork(name: string): Promise<string> {
  await makeRepository(api, alice, "cloak", name, { auto_init: true });
  const fork = await api.call("POST", `/repos/cloak/${name}/forks`, { as: alice, body: {} });
  expect(fork.status).toBe(202);
  expect(fork.json.private).toBe(true);
  return `/repos/alice/${name}`;
}

it.each([true, false])(
  "repoEdit of a fork of what a private organization has leaves it private when %j is asked for (semantics §24.4)",
  async (asked) => {
    const path = await makeFork(`dagger-${asked}`);
    const edited = await api.call("PATCH", path, { as: alice, body: { private: asked } });
    expect(edited.json.private).toBe(true);
    expect(await statusOf(path, bob)).toBe(404);
  },
);

it("a change of visibility inside a private organization leaves forks of it private", async () => {
  const path = await makeFork("knife");
  for (const hidden of [true, false]) {
    const edited = await api.call("PATCH", "/repos/cloak/knife", { as: alice, body: { private: hidden } });
    expect(edited.json.private).toBe(hidden);
    await finishJobs(api);
    expect(await statusOf(path, bob)).toBe(404);
  }
});

it("repoEdit of such a fork follows what it was forked from once everybody may know of that", async () => {
  const path = await makeFork("spoon");
  await api.call("PATCH", "/orgs/cloak", { as: alice, body: { visibility: "public" } });
  const edited = await api.call("PATCH", path, { as: alice, body: { private: true } });
  expect(edited.json.private).toBe(false);
  await api.call("PATCH", "/orgs/cloak", { as: alice, body: { visibility: "private" } });
});

it("forks of what an organization has follow it when it hides and when it shows itself again (semantics §24.4)", async () => {
  await makeOrganization(api, alice, "theater");
  await makeRepository(api, alice, "theater", "stage", { auto_init: true });
  for (const as of [alice, bob]) await api.call("POST", "/repos/theater/stage/forks", { as, body: {} });
  await api.call("POST", "/repos/bob/stage/forks", { as: alice, body: { name: "stage-of-bob" } });
  const forks = ["/repos/alice/stage", "/repos/bob/stage", "/repos/alice/stage-of-bob"];
  const hide = async (visibility: string) => {
    await api.call("PATCH", "/orgs/theater", { as: alice, body: { visibility } });
    await finishJobs(api);
    return Promise.all(forks.map((path) => statusOf(path)));
  };
  expect(await hide("limited")).toEqual([200, 200, 200]);
  expect(await hide("private")).toEqual([404, 404, 404]);
  expect(await hide("public")).toEqual([200, 200, 200]);
});

it("forks follow what they were forked from to an owner whom not everybody may know of (semantics §24.6)", async () => {
  await api.call("POST", "/user/repos", { as: alice, body: { name: "torch", auto_init: true } });
  await api.call("POST", "/repos/alice/torch/forks", { as: bob, body: {} });
  const body = { new_owner: "cloak" };
  expect((await api.call("POST", "/repos/alice/torch/transfer", { as: alice, body })).status).toBe(202);
  await finishJobs(api);
  expect(await Promise.all([alice, bob].map((as) => statusOf("/repos/bob/torch", as)))).toEqual([404, 200]);
});

it("forks of a user's repositories follow when the user hides", async () => {
  const shy = await api.makeUser({ name: "shy" });
  await api.call("POST", "/user/repos", { as: shy, body: { name: "diary", auto_init: true } });
  await api.call("POST", "/repos/shy/diary/forks", { as: bob, body: {} });
  const boss = await api.makeUser({ name: "boss", isAdmin: true });
  const body = { visibility: "private" };
  expect((await api.call("PATCH", "/admin/users/shy", { as: boss, body })).status).toBe(200);
  await finishJobs(api);
  expect(await Promise.all([alice, bob].map((as) => statusOf("/repos/bob/diary", as)))).toEqual([404, 200]);
});

describe("a fork of what is hidden while the fork is being changed", () => {
  const edit = (path: string, as: Caller, isPrivate: boolean) =>
    api.call("PATCH", path, { as, body: { private: isPrivate } });
  /** Hides a repository, to the end: no job is left that would come to it. */
  async function hide(path: string): Promise<void> {
    expect((await edit(path, alice, true)).status).toBe(200);
    await finishJobs(api);
  }

  /** A public repository of alice's, and bob's fork of it. */
  async function makePublic(name: string): Promise<{ id: number; parent: string; fork: string }> {
    const { json } = await api.call("POST", "/user/repos", { as: alice, body: { name, auto_init: true } });
    expect((await api.call("POST", `/repos/alice/${name}/forks`, { as: bob, body: {} })).status).toBe(202);
    return { id: json.id, parent: `/repos/alice/${name}`, fork: `/repos/bob/${name}` };
  }

  /** Does something before the next transaction of this view. */
  function beforeTransaction(view: Table, work: () => Promise<unknown>): void {
    const { transact } = view;
    view.transact = async (writes, options) => {
      view.transact = transact;
      await work();
      return view.transact(writes, options);
    };
  }

  it("is private when its owner had asked for it to be public", async () => {
    const { parent, fork } = await makePublic("lantern");
    changeNextRequest(api.forge, (view) => beforeTransaction(view, () => hide(parent)));
    await api.call("PATCH", fork, { as: bob, body: { private: false, description: "mine" } });
    expect(await Promise.all([alice, bob].map((as) => statusOf(fork, as)))).toEqual([404, 200]);
  });

  it("is private when a job was about to show it", async () => {
    const { id, parent, fork } = await makePublic("candle");
    await hide(parent);
    // The fork is left to the job.
    changeNextRequest(api.forge, (view) => {
      view.query = () => Promise.reject(new Error("not now"));
    });
    await edit(parent, alice, false);
    expect(await statusOf(fork)).toBe(404);
    const table = { ...api.forge.table };
    const { query } = table;
    table.query = async (asked) => {
      table.query = query;
      await hide(parent);
      return query(asked);
    };
    await followVisibility.step({ ...api.forge, table }, { repositoryId: id }, undefined);
    expect(await Promise.all([undefined, bob].map((as) => statusOf(fork, as)))).toEqual([404, 200]);
  });

  it("409, or private: a fork that is made while the owner of its source hides", async () => {
    const shade = await api.makeUser({ name: "shade" });
    const boss = await api.makeUser({ name: "chief", isAdmin: true });
    await api.call("POST", "/user/repos", { as: shade, body: { name: "curtain", auto_init: true } });
    const hide = () => api.call("PATCH", "/admin/users/shade", { as: boss, body: { visibility: "private" } });
    changeNextRequest(api.forge, (view) => beforeTransaction(view, hide));
    const { status } = await api.call("POST", "/repos/shade/curtain/forks", { as: bob, body: {} });
    expect([409, 202]).toContain(status);
    expect(await statusOf("/repos/bob/curtain")).toBe(404);
  });

  it("409: a second one that an owner makes while hiding, or it could leave for a public place", async () => {
    const veil = await api.makeUser({ name: "veil" });
    const boss = await api.makeUser({ name: "captain", isAdmin: true });
    await api.call("POST", "/user/repos", { as: veil, body: { name: "mask", auto_init: true } });
    const hide = () => api.call("PATCH", "/admin/users/veil", { as: boss, body: { visibility: "private" } });
    changeNextRequest(api.forge, (view) => beforeTransaction(view, hide));
    const again = () => api.call("POST", "/repos/veil/mask/forks", { as: veil, body: { name: "copy" } });
    expect((await again()).status).toBe(409);
    expect((await again()).json).toMatchObject({ name: "copy", private: true });
  });
});
