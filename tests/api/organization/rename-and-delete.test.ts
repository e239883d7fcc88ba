import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller, TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeRepository, makeTeam, namesIn, startOrganizations } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;

beforeAll(async () => {
  ({ api, alice, bob, boss } = await startOrganizations());
});
afterAll(() => api.stop());

describe("renameOrg", () => {
  const rename = (as: Caller | undefined, from: string, to: string) =>
    api.call("POST", `/orgs/${from}/rename`, { as, body: { new_name: to } });

  it("204: the former name leads to it by 307 with the query kept, until somebody takes it", async () => {
    await makeOrganization(api, alice, "before");
    const repository = await makeRepository(api, alice, "before", "wares");
    expect((await rename(alice, "before", "After")).status).toBe(204);
    expect((await api.call("GET", "/orgs/after")).json.name).toBe("After");
    const moved = await api.call("GET", "/orgs/BEFORE?x=1&y=a%20b");
    expect(moved.status).toBe(307);
    expect(moved.headers.get("location")).toBe("http://127.0.0.1:3000/api/v1/orgs/After?x=1&y=a%20b");
    const inside = await api.call("GET", "/repos/before/wares/branches");
    expect(inside.status).toBe(307);
    expect(inside.headers.get("location")).toMatch(/\/api\/v1\/repos\/After\/wares\/branches$/);
    expect((await api.call("GET", `/repositories/${repository.id}`, { as: bob })).json.full_name).toBe(
      "After/wares",
    );
    await makeOrganization(api, boss, "before");
    expect((await api.call("GET", "/orgs/before")).status).toBe(200);
    expect((await api.call("GET", "/repos/before/wares")).status).toBe(404);
    expect((await rename(alice, "after", "before")).status).toBe(422);
  });

  it("204: only the case changes", async () => {
    await makeOrganization(api, alice, "casing");
    expect((await rename(alice, "casing", "CaSiNg")).status).toBe(204);
    expect((await api.call("GET", "/orgs/casing")).json.name).toBe("CaSiNg");
  });

  it("204: there and back again", async () => {
    await makeOrganization(api, alice, "there");
    expect((await rename(alice, "there", "away")).status).toBe(204);
    expect((await rename(alice, "away", "there")).status).toBe(204);
    expect((await api.call("GET", "/orgs/there")).status).toBe(200);
    expect((await api.call("GET", "/orgs/away")).status).toBe(307);
    const body = { username: "away", email: "away@example.com", password: "long-enough" };
    expect((await api.call("POST", "/admin/users", { as: boss, body })).status).toBe(201);
  });

  it("404: a redirect does not tell of what is hidden (B-18)", async () => {
    await makeOrganization(api, alice, "veil", { visibility: "private" });
    expect((await rename(alice, "veil", "mask")).status).toBe(204);
    expect((await api.call("GET", "/orgs/veil", { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/orgs/veil", { as: alice })).status).toBe(307);
  });

  it("401, 403, 404, 422", async () => {
    expect((await rename(undefined, "acme", "x9")).status).toBe(401);
    expect((await rename(bob, "acme", "x9")).status).toBe(403);
    expect((await rename(bob, "cloak", "x9")).status).toBe(404);
    expect((await rename(alice, "acme", "bob")).status).toBe(422);
    expect((await rename(alice, "acme", "half")).status).toBe(422);
    expect((await rename(alice, "acme", "x y")).status).toBe(422);
    expect((await rename(alice, "acme", "")).status).toBe(422);
  });
});

describe("orgDelete", () => {
  const remove = (as: Caller | undefined, name: string) => api.call("DELETE", `/orgs/${name}`, { as });

  it("204: gone at once for everybody, its name free, and nothing of it left after its job", async () => {
    const { id } = await makeOrganization(api, alice, "brief");
    await api.call("POST", "/orgs/brief/rename", { as: alice, body: { new_name: "short" } });
    const team = await makeTeam(api, alice, "short", "crew");
    await join(api, alice, team, bob);
    expect((await remove(alice, "short")).status).toBe(204);
    expect((await api.call("GET", "/orgs/short", { as: alice })).status).toBe(404);
    expect((await api.call("GET", "/orgs/brief", { as: alice })).status).toBe(404);
    expect((await api.call("GET", `/teams/${team}`, { as: alice })).status).toBe(404);
    expect(namesIn(await api.call("GET", "/user/orgs", { as: bob }))).not.toContain("short");
    expect(namesIn(await api.call("GET", "/orgs", { as: boss }))).not.toContain("short");
    await finishJobs(api);
    const rows = await api.forge.table.queryAll({ pk: `U#${bob.user.id}`, prefix: "ORG#" });
    expect(rows.map(({ organizationId }) => organizationId)).not.toContain(id);
    expect(await api.forge.table.queryAll({ pk: `O#${id}` })).toEqual([]);
    expect(await api.forge.table.queryAll({ pk: `TEAM#${team}` })).toEqual([]);
    await makeOrganization(api, bob, "short");
    await makeOrganization(api, bob, "brief");
    expect((await remove(bob, "short")).status).toBe(204);
    expect((await remove(bob, "brief")).status).toBe(204);
  });

  it("204: its job goes on wherever it was killed", async () => {
    const { id } = await makeOrganization(api, alice, "crashing");
    const made = [
      await makeTeam(api, alice, "crashing", "one"),
      await makeTeam(api, alice, "crashing", "two"),
    ];
    for (const team of made) await join(api, alice, team, bob);
    expect((await remove(alice, "crashing")).status).toBe(204);
    for (let write = 1; write <= 10; write += 1) {
      api.faults.crashAt(write, write % 2 === 0 ? "before" : "after");
      await finishJobs(api).catch(() => undefined);
      api.faults.recover();
      api.clock.advance(3_600_000);
    }
    await finishJobs(api);
    const partitions = [`O#${id}`, ...made.map((team) => `TEAM#${team}`)];
    const left = await Promise.all(partitions.map((pk) => api.forge.table.queryAll({ pk })));
    expect(left.flat()).toEqual([]);
    const rows = await api.forge.table.queryAll({ pk: `U#${bob.user.id}`, prefix: "ORG#" });
    expect(rows.map(({ organizationId }) => organizationId)).not.toContain(id);
  });

  it("422: it owns a repository; 204 once that is gone", async () => {
    await makeOrganization(api, alice, "landlord");
    await makeRepository(api, alice, "landlord", "house");
    expect((await remove(alice, "landlord")).status).toBe(422);
    expect((await api.call("DELETE", "/repos/landlord/house", { as: alice })).status).toBe(204);
    expect((await remove(alice, "landlord")).status).toBe(204);
  });

  it("204 or 201, never both: deleting races with the creation of a repository", async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = `race-${round}`;
      await makeOrganization(api, alice, name);
      const [removed, created] = await Promise.all([
        remove(alice, name),
        api.call("POST", `/orgs/${name}/repos`, {
          as: alice,
          body: { name: "r", auto_init: round % 2 === 0 },
        }),
      ]);
      expect([204, 409, 422]).toContain(removed.status);
      expect([201, 404, 409]).toContain(created.status);
      expect(removed.status === 204 && created.status === 201).toBe(false);
      const left = (await api.call("GET", `/repos/${name}/r`, { as: alice })).status;
      expect(left).toBe(created.status === 201 ? 200 : 404);
    }
  });

  it("201: a deletion that was broken off does not keep repositories away for good", async () => {
    const { id } = await makeOrganization(api, alice, "limbo");
    const deletion = { id: "broken", until: api.clock.now() + 30_000 };
    const key = { pk: `O#${id}`, sk: "#" };
    await api.forge.table.write({ update: key, changes: { set: { deletion } } });
    const create = () => api.call("POST", "/orgs/limbo/repos", { as: alice, body: { name: "r" } });
    expect((await create()).status).toBe(409);
    api.clock.advance(31_000);
    expect((await create()).status).toBe(201);
  });

  it("401, 403, 404", async () => {
    expect((await remove(undefined, "acme")).status).toBe(401);
    expect((await remove(bob, "acme")).status).toBe(403);
    expect((await remove(bob, "cloak")).status).toBe(404);
    expect((await remove(alice, "nothing")).status).toBe(404);
  });
});
