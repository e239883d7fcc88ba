import { afterAll, beforeAll, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs, makeOrganization, makeRepository } from "../organization/make.ts";

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
