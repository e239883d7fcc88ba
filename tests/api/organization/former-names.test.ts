import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { checkTable } from "#core/lifecycle/check/check";
import { createOwnOrganization } from "#core/organization/create";
import { renameOrganization } from "#core/organization/edit";
import { findOrganizationsById } from "#core/organization/list";
import type { Organization } from "#core/organization/organization.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { race } from "#tests/support/race/race";
import { createRandom } from "#tests/support/random";
import { makeOrganization } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
});
afterAll(() => api.stop());

const day = 86_400_000;
const renameOrg = (as: Caller, from: string, to: string) =>
  api.call("POST", `/orgs/${from}/rename`, { as, body: { new_name: to } });
const renameUser = (from: string, to: string) =>
  api.call("POST", `/admin/users/${from}/rename`, { as: boss, body: { new_username: to } });
const create = (as: Caller, username: string) => api.call("POST", "/orgs", { as, body: { username } });
const leadsTo = async (name: string, as?: Caller) =>
  (await api.call("GET", `/users/${name}`, { as })).headers.get("location");

describe("a former name (D-FORMER)", () => {
  it("422: is nobody else's for 30 days, to create or to rename to; it leads on until somebody takes it", async () => {
    await api.makeUser({ name: "erin" });
    await makeOrganization(api, bob, "bobs");
    expect((await renameUser("erin", "erna")).status).toBe(204);
    const refused = await create(bob, "ERIN");
    expect([refused.status, refused.json.message]).toEqual([
      422,
      "user already exists [name: ERIN]; a former name stays with whose it was for 30 days",
    ]);
    expect((await renameOrg(bob, "bobs", "erin")).status).toBe(422);
    api.clock.advance(30 * day - 1000);
    expect((await create(bob, "erin")).status).toBe(422);
    expect(await leadsTo("erin")).toMatch(/\/users\/erna$/);
    api.clock.advance(1000);
    expect(await leadsTo("erin")).toMatch(/\/users\/erna$/);
    expect((await renameOrg(bob, "bobs", "erin")).status).toBe(204);
    expect((await api.call("GET", "/orgs/erin")).status).toBe(200);
  });

  it("204, 201: goes back to whose it was, and to an organization of theirs", async () => {
    await makeOrganization(api, alice, "there");
    expect((await renameOrg(alice, "there", "away")).status).toBe(204);
    expect((await renameOrg(alice, "away", "there")).status).toBe(204);
    expect((await renameUser("alice", "alicia")).status).toBe(204);
    expect((await create(alice, "alice")).status).toBe(201);
    expect((await renameOrg(alice, "alice", "alices")).status).toBe(204);
    expect((await renameUser("alicia", "alice")).status).toBe(204);
  });

  it("201, 204: administrators give it away at once, to a user or an organization", async () => {
    for (const name of ["one", "two", "three", "four"]) {
      await makeOrganization(api, alice, name);
      await renameOrg(alice, name, `${name}-left`);
    }
    const account = { username: "one", email: "one@example.com", password: "long-enough" };
    expect((await api.call("POST", "/admin/users", { as: boss, body: account })).status).toBe(201);
    const given = { as: boss, body: { username: "two" } };
    expect((await api.call("POST", "/admin/users/bob/orgs", given)).status).toBe(201);
    expect((await create(boss, "three")).status).toBe(201);
    expect((await renameUser("one", "four")).status).toBe(204);
  });

  it("201: is free at once with RENAMED_NAME_PROTECTION=0", async () => {
    const free = await makeApi({ settings: { RENAMED_NAME_PROTECTION: "0" } });
    const [one, other] = [await free.makeUser(), await free.makeUser()];
    await makeOrganization(free, one, "open");
    await free.call("POST", "/orgs/open/rename", { as: one, body: { new_name: "moved" } });
    await makeOrganization(free, other, "open");
    await free.stop();
  });

  const random = createRandom();
  it(`goes to one of all who claim it as its time ends; the others are refused (SEED=${random.seed})`, async () => {
    const rivals = [await api.makeUser(), await api.makeUser()];
    for (let round = 0; round < 5; round += 1) {
      const name = `prize-${round}`;
      await makeOrganization(api, alice, name);
      await makeOrganization(api, bob, `rival-${round}`);
      await renameOrg(alice, name, `left-${round}`);
      const organization = async (of: string) => {
        const { id } = (await api.call("GET", `/orgs/${of}`)).json;
        return (await findOrganizationsById(api.forge, [id])).get(id) as Organization;
      };
      const [left, rival] = [await organization(`left-${round}`), await organization(`rival-${round}`)];
      api.clock.advance(30 * day);
      const won: string[] = [];
      const claims = [
        ...rivals.map(({ user }) => async (forge: Forge) => {
          await createOwnOrganization(forge, { user }, { name });
          won.push("created");
        }),
        async (forge: Forge) => {
          await renameOrganization(forge, { user: bob.user }, rival, name);
          won.push("renamed");
        },
        async (forge: Forge) => {
          await renameOrganization(forge, { user: alice.user }, left, name);
          won.push("back");
        },
      ];
      await race(api.forge, random, ...claims);
      expect(won).toHaveLength(1);
      expect((await api.call("GET", `/orgs/${name}`)).json.name).toBe(name);
    }
    const findings: unknown[] = [];
    for await (const finding of checkTable(api.forge)) findings.push(finding);
    expect(findings).toEqual([]);
  });
});
