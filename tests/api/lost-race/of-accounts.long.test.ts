import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { basic, type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { gpgSign, makeGpgPair } from "#tests/support/git/gpg";
import { listed, tell } from "../notification/make.ts";
import { makeOrganization } from "../organization/make.ts";
import { maker } from "../repository/furnish.ts";
import { expectLost } from "./lose-races.ts";

/** Others are always faster: no write that asks for the state that was read is taken. */
let api: TestApi;
let boss: Caller;
let alice: Caller;
let make: ReturnType<typeof maker>;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  make = maker(api, alice);
  await make("POST", "/user/repos", { name: "r" });
});
afterAll(() => api.stop());

describe("the end of an account", () => {
  it("409: adminDeleteUser, orgDelete: it is changed between the mark and the removal", async () => {
    await api.makeUser({ name: "leaver" });
    await makeOrganization(api, alice, "acme");
    const user = { id: "adminDeleteUser", place: { username: "leaver" } };
    await expectLost(api, boss, user, "transactions");
    await expectLost(api, boss, { ...user, query: "?purge=true" }, "transactions");
    await expectLost(api, alice, { id: "orgDelete", place: { org: "acme" } }, "transactions");
    for (const name of ["leaver", "acme"]) {
      expect((await api.call("GET", `/users/${name}`, { as: boss })).status).toBe(200);
    }
  });
});

describe("how a user is known", () => {
  it("409: userDeleteSecondFactor, adminDeleteSecondFactor", async () => {
    await api.call("POST", "/user/two_factor", { headers: basic(alice.name, alice.password) });
    await expectLost(api, alice, { id: "userDeleteSecondFactor" });
    await expectLost(api, boss, { id: "adminDeleteSecondFactor", place: { username: "alice" } });
  });

  it("409: userVerifyGPGKey", async () => {
    const pair = await makeGpgPair({ name: "Own", email: alice.user.email });
    const { key_id } = await make("POST", "/user/gpg_keys", { armored_public_key: pair.armored });
    const token = (await api.call("GET", "/user/gpg_key_token", { as: alice })).text;
    const body = { key_id, armored_signature: await gpgSign(pair, token) };
    await expectLost(api, alice, { id: "userVerifyGPGKey", body });
  });
});

describe("what a user is told", () => {
  it("409: notifyReadList, notifyReadThread, notifyReadRepoList", async () => {
    await make("POST", "/repos/alice/r/issues", { title: "@alice" }, boss);
    await tell(api);
    const [{ id }]: JsonValue = await listed(api, alice);
    await expectLost(api, alice, { id: "notifyReadList" });
    await expectLost(api, alice, { id: "notifyReadThread", place: { id } });
    await expectLost(api, alice, { id: "notifyReadRepoList", place: { owner: "alice", repo: "r" } });
    expect(await listed(api, alice)).toMatchObject([{ unread: true }]);
  });

  it("409: rejectRepoTransfer", async () => {
    const bob = await api.makeUser({ name: "bob" });
    await make("POST", "/user/repos", { name: "given" }, bob);
    await make("POST", "/repos/bob/given/transfer", { new_owner: "alice" }, bob);
    await expectLost(api, alice, { id: "rejectRepoTransfer", place: { owner: "bob", repo: "given" } });
  });
});
