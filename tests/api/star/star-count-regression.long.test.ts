import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTable, repairFindings } from "#core/lifecycle/check/check";
import { ownerKey } from "#core/owner/owner.table";
import { update } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  for (const name of ["one", "two", "three"]) {
    expect((await api.call("POST", "/user/repos", { as: alice, body: { name } })).status).toBe(201);
  }
});
afterAll(() => api.stop());

const star = (method: "PUT" | "DELETE", path: string, as: Caller) =>
  api.call(method, `/user/starred/${path}`, { as });
const countOf = async (who: Caller): Promise<number> =>
  (await api.call("GET", `/users/${who.name}`)).json.starred_repos_count;
async function findings() {
  const found = [];
  for await (const finding of checkTable(api.forge)) found.push(finding);
  return found;
}

describe("User.starred_repos_count (semantics §32)", () => {
  it("counts each repository once, whatever is done twice or at the same time", async () => {
    const paths = ["alice/one", "alice/two", "alice/three"];
    await Promise.all([...paths, ...paths].map((path) => star("PUT", path, bob)));
    expect(await countOf(bob)).toBe(3);
    expect((await api.call("GET", "/user", { as: bob })).json.starred_repos_count).toBe(3);
    await Promise.all([1, 2, 3].map(() => star("DELETE", "alice/one", bob)));
    expect(await countOf(bob)).toBe(2);
  });

  it("no longer counts what was deleted", async () => {
    expect((await api.call("DELETE", "/repos/alice/two", { as: alice })).status).toBe(204);
    await finishJobs(api);
    expect(await countOf(bob)).toBe(1);
  });

  it("is no more than what a block leaves", async () => {
    expect((await api.call("PUT", "/user/block/bob", { as: alice })).status).toBe(204);
    await finishJobs(api);
    expect(await countOf(bob)).toBe(0);
  });

  it("keeps nobody from being deleted, nor their stars from going with them", async () => {
    const leaver = await api.makeUser({ name: "leaver" });
    expect((await star("PUT", "alice/three", leaver)).status).toBe(204);
    expect((await api.call("DELETE", "/admin/users/leaver", { as: boss })).status).toBe(204);
    await finishJobs(api);
    expect((await api.call("GET", "/repos/alice/three")).json.stars_count).toBe(0);
    expect(await findings()).toEqual([]);
  });

  it("is counted anew by the check where it is wrong (invariant 25)", async () => {
    expect((await star("PUT", "alice/three", boss)).status).toBe(204);
    await api.forge.table.write(update(ownerKey(boss.user.id), { set: { starred: 7 } }));
    const wrong = await findings();
    expect(wrong.map(({ invariant }) => invariant)).toEqual([25]);
    await repairFindings(api.forge, wrong);
    expect(await countOf(boss)).toBe(1);
    expect(await findings()).toEqual([]);
  });
});
