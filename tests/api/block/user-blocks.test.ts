import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Block, blockKey } from "#core/block/block.table";
import { put, remove } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { writeMany } from "#tests/support/write-many";
import { makeOrganization, namesIn } from "../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
});
afterAll(() => api.stop());

const ask = (method: string, path: string, as: Caller | undefined = alice) =>
  api.call(method, `/user/${path}`, { as });
const blocked = async () => namesIn(await ask("GET", "blocks"));

describe("userAddBlock", () => {
  it("204; 400 twice, for oneself and an organization, 404 for nobody's name, 401 without a login", async () => {
    await makeOrganization(api, bob, "acme");
    expect((await ask("PUT", "blocks/bob?note=spam")).status).toBe(204);
    for (const name of ["BOB", "alice", "acme", "ghost"])
      expect((await ask("PUT", `blocks/${name}`)).status, name).toBe(400);
    expect((await ask("PUT", "blocks/nobody")).status).toBe(404);
    expect((await api.call("PUT", "/user/blocks/bob")).status).toBe(401);
    expect(await blocked()).toEqual(["bob"]);
  });
});

describe("userCheckUserBlock", () => {
  it("204 for blocked users, 404 without a body for others (D-CHECK)", async () => {
    expect((await ask("GET", "blocks/bob")).status).toBe(204);
    const no = await ask("GET", "blocks/alice", bob);
    expect([no.status, no.text]).toEqual([404, ""]);
  });
});

describe("userListBlocks", () => {
  it("200: the caller's own alone", async () => {
    expect(await blocked()).toEqual(["bob"]);
    expect((await ask("GET", "blocks", bob)).json).toEqual([]);
  });
});

describe("userListBlockedUsers", () => {
  it("200: ids and times", async () => {
    const row = { block_id: bob.user.id, created_at: expect.any(String) };
    expect((await ask("GET", "list_blocked")).json).toEqual([row]);
  });
});

describe("userRemoveBlock", () => {
  it("204; 400 for users who are not blocked, and for an organization", async () => {
    expect((await ask("DELETE", "blocks/bob")).status).toBe(204);
    for (const name of ["bob", "acme"])
      expect((await ask("DELETE", `blocks/${name}`)).status, name).toBe(400);
    expect(await blocked()).toEqual([]);
  });
});

describe("userBlockUser", () => {
  it("204: as the other form, but content with a second time", async () => {
    expect((await ask("PUT", "block/bob")).status).toBe(204);
    expect((await ask("PUT", "block/bob")).status).toBe(204);
    expect(await blocked()).toEqual(["bob"]);
  });
});

describe("userUnblockUser", () => {
  it("204: as the other form, but content with a second time", async () => {
    expect((await ask("PUT", "unblock/bob")).status).toBe(204);
    expect((await ask("PUT", "unblock/bob")).status).toBe(204);
    expect(await blocked()).toEqual([]);
  });
});

describe("past 2,000 blocks", () => {
  const made = new Set<number>();
  /** Has this owner block so many. */
  async function fill(id: number): Promise<void> {
    const blocks = Array.from({ length: 2_000 }, (_, at): Block => {
      const userId = 1_000_000 + at;
      return { ...blockKey(id, userId), userId, note: "", createdAt: 1, _v: 1 };
    });
    // Each test takes the first one away.
    const missing = made.has(id) ? blocks.slice(0, 1) : blocks;
    await writeMany(
      api.forge,
      missing.map((block) => put(block)),
    );
    made.add(id);
  }

  it.each([
    ["userBlockUser", "/user/block/bob", "alice"],
    ["userAddBlock", "/user/blocks/bob", "alice"],
    ["orgBlockUser", "/orgs/full/block/bob", "full"],
    ["organizationBlockUser", "/orgs/full/blocks/bob", "full"],
  ])("422: %s, until another is lifted", async (_id, path, name) => {
    if (name === "full") await api.call("POST", "/orgs", { as: alice, body: { username: "full" } });
    const { id } = (await api.call("GET", `/users/${name}`, { as: alice })).json;
    await fill(id);
    expect((await api.call("PUT", path, { as: alice })).status).toBe(422);
    await api.forge.table.write(remove(blockKey(id, 1_000_000)));
    expect((await api.call("PUT", path, { as: alice })).status).toBe(204);
    await api.call("PUT", path.replace(/\/blocks?\//, "/unblock/"), { as: alice });
  });
});
