import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBlock,
  findBlock,
  forgetBlocksOf,
  isBlocked,
  isBlockedByAny,
  listBlocks,
} from "#core/block/block";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeOrganization, makeTeam, namesIn } from "../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let organizationId: number;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob, carol] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "carol" }),
  ];
  organizationId = (await makeOrganization(api, alice, "acme")).id;
});
afterAll(() => api.stop());

const ask = async (method: string, path: string, as: Caller | undefined = alice) =>
  api.call(method, `/orgs/acme/${path}`, { as });

describe("organizationBlockUser", () => {
  it("204, seen in every form; 400 a second time", async () => {
    expect((await ask("PUT", "blocks/bob?note=spam")).status).toBe(204);
    expect((await ask("PUT", "blocks/BOB")).status).toBe(400);
    expect((await findBlock(api.forge, organizationId, bob.user.id))?.note).toBe("spam");
    expect((await ask("GET", "blocks/bob")).status).toBe(204);
    expect(namesIn(await ask("GET", "blocks"))).toEqual(["bob"]);
    expect((await ask("GET", "list_blocked")).json).toEqual([
      { block_id: bob.user.id, created_at: expect.any(String) },
    ]);
    await ask("DELETE", "blocks/bob");
  });

  it("400: a member, an organization; 422: too long a remark", async () => {
    expect((await ask("PUT", "blocks/alice")).status).toBe(400);
    expect((await ask("PUT", "blocks/acme")).status).toBe(400);
    expect((await ask("PUT", `blocks/bob?note=${"x".repeat(256)}`)).status).toBe(422);
    expect((await ask("GET", "blocks/alice")).status).toBe(404);
  });

  it("403 for non-owners, 404 for an unknown user", async () => {
    expect((await ask("PUT", "blocks/bob", carol)).status).toBe(403);
    expect((await ask("PUT", "blocks/nobody")).status).toBe(404);
  });
});

describe("organizationListBlocks", () => {
  it("200: newest first, by page (D-PAGING)", async () => {
    await ask("PUT", "blocks/bob");
    api.clock.advance(1000);
    await ask("PUT", "blocks/carol");
    expect(namesIn(await ask("GET", "blocks"))).toEqual(["carol", "bob"]);
    const second = await ask("GET", "blocks?page=2&limit=1");
    expect([namesIn(second), second.headers.get("x-total-count")]).toEqual([["bob"], "2"]);
    await ask("DELETE", "blocks/bob");
    await ask("DELETE", "blocks/carol");
  });
});

describe("orgListBlockedUsers", () => {
  it("200: ids, by page (D-PAGING)", async () => {
    await ask("PUT", "blocks/bob");
    api.clock.advance(1000);
    await ask("PUT", "blocks/carol");
    const ids = await ask("GET", "list_blocked?page=1&limit=1");
    expect(ids.json.map((one: { block_id: number }) => one.block_id)).toEqual([carol.user.id]);
    await ask("DELETE", "blocks/bob");
    await ask("DELETE", "blocks/carol");
  });
});

describe("organizationCheckUserBlock", () => {
  it("204, and 404 without a body (D-CHECK)", async () => {
    await ask("PUT", "blocks/bob");
    expect((await ask("GET", "blocks/bob")).status).toBe(204);
    const no = await ask("GET", "blocks/carol");
    expect([no.status, no.text]).toEqual([404, ""]);
    await ask("DELETE", "blocks/bob");
  });
});

describe("organizationUnblockUser", () => {
  it("204: lifted at once; 400 where there is nothing to lift", async () => {
    await ask("PUT", "blocks/bob");
    expect((await ask("DELETE", "blocks/bob")).status).toBe(204);
    expect((await ask("GET", "blocks/bob")).status).toBe(404);
    expect((await ask("DELETE", "blocks/bob")).status).toBe(400);
  });
});

describe("orgBlockUser", () => {
  it("204: a member too, who stays one, as with Forgejo", async () => {
    const id = await makeTeam(api, alice, "acme", "blockable");
    await api.call("PUT", `/teams/${id}/members/bob`, { as: alice });
    expect((await ask("PUT", "block/bob")).status).toBe(204);
    expect((await ask("GET", "members/bob")).status).toBe(204);
    expect((await ask("PUT", "unblock/bob")).status).toBe(204);
    expect((await ask("DELETE", "members/bob")).status).toBe(204);
  });

  it("204: as organizationBlockUser", async () => {
    expect((await ask("PUT", "block/bob")).status).toBe(204);
    expect((await ask("GET", "blocks/bob")).status).toBe(204);
    await ask("DELETE", "blocks/bob");
  });
});

describe("orgUnblockUser", () => {
  it("204: as organizationUnblockUser", async () => {
    await ask("PUT", "block/bob");
    expect((await ask("PUT", "unblock/bob")).status).toBe(204);
    expect((await ask("GET", "blocks/bob")).status).toBe(404);
  });
});

describe("a block", () => {
  it("403: keeps a user out of the organization's teams until it is lifted", async () => {
    const team = await makeTeam(api, alice, "acme", "crew");
    await ask("PUT", "blocks/bob");
    const adding = () => api.call("PUT", `/teams/${team}/members/bob`, { as: alice });
    expect((await adding()).status).toBe(403);
    await ask("DELETE", "blocks/bob");
    expect((await adding()).status).toBe(204);
    await api.call("DELETE", `/teams/${team}/members/bob`, { as: alice });
  });

  it("of a deleted organization leaves nothing behind", async () => {
    const { id } = await makeOrganization(api, alice, "brief");
    await api.call("PUT", "/orgs/brief/blocks/bob", { as: alice });
    await api.call("DELETE", "/orgs/brief", { as: alice });
    await finishJobs(api);
    const left = await api.forge.table.queryAll({ pk: `U#${bob.user.id}`, prefix: "BLOCKEDBY#" });
    expect([left, await listBlocks(api.forge, id)]).toEqual([[], []]);
  });
});

describe("blocks of users", () => {
  it("are forgotten at both ends with either", async () => {
    const dave = (await api.makeUser({ name: "dave" })).user;
    await createBlock(api.forge, dave, bob.user);
    await createBlock(api.forge, carol.user, dave);
    await expect(createBlock(api.forge, dave, dave)).rejects.toThrow("yourself");
    expect(await isBlockedByAny(api.forge, [alice.user.id, dave.id], bob.user.id)).toBe(true);
    await forgetBlocksOf(api.forge, dave.id);
    expect(await isBlocked(api.forge, dave.id, bob.user.id)).toBe(false);
    expect(await isBlocked(api.forge, carol.user.id, dave.id)).toBe(false);
    const left = await api.forge.table.queryAll({ pk: `U#${bob.user.id}`, prefix: "BLOCKEDBY#" });
    expect(left).toEqual([]);
  });
});
