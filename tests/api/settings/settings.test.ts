import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { endpoints } from "#tests/support/endpoints";

let api: TestApi;
let shut: TestApi;
let unexplored: TestApi;
let unlisted: TestApi;

beforeAll(async () => {
  api = await makeApi({ settings: { MAX_RESPONSE_ITEMS: "7", DEFAULT_PAGING_NUM: "3" } });
  shut = await makeApi({ settings: { REQUIRE_SIGNIN_VIEW: "true" } });
  unexplored = await makeApi({ settings: { EXPLORE_REQUIRE_SIGNIN_VIEW: "true" } });
  unlisted = await makeApi({ settings: { DISABLE_USERS_PAGE: "true" } });
});
afterAll(() => Promise.all([api.stop(), shut.stop(), unexplored.stop(), unlisted.stop()]));

describe("getGeneralAPISettings", () => {
  it("200: the bounds that lists have", async () => {
    const { status, json } = await api.call("GET", "/settings/api");
    expect([status, json]).toEqual([
      200,
      {
        max_response_items: 7,
        default_paging_num: 3,
        default_git_trees_per_page: 1000,
        default_max_blob_size: 10_485_760,
      },
    ]);
    const boss = await api.makeUser({ isAdmin: true });
    for (let at = 0; at < 8; at += 1) {
      await api.call("POST", "/orgs", { as: boss, body: { username: `org-${at}` } });
    }
    expect((await api.call("GET", "/orgs")).json).toHaveLength(3);
    expect((await api.call("GET", "/orgs?limit=100")).json).toHaveLength(7);
  });

  it("403: anonymous, where the instance answers signed-in callers only", async () => {
    expect((await shut.call("GET", "/settings/api")).status).toBe(403);
    expect((await shut.call("GET", "/settings/api", { as: await shut.makeUser() })).status).toBe(200);
  });
});

describe("getGeneralRepositorySettings", () => {
  it.each([
    ["createFork", "forks_disabled"],
    ["userCurrentPutStar", "stars_disabled"],
    ["repoMirrorSync", "mirrors_disabled"],
    ["repoMigrate", "migrations_disabled"],
  ])("200: what %s is there for is off exactly where there is no such operation", async (id, field) => {
    const { json } = await api.call("GET", "/settings/repository");
    expect(json[field]).toBe(endpoints.every((one) => one.id !== id));
    expect(json.http_git_disabled).toBe(false);
  });

  it.each([
    ["DISABLE_STARS", "stars_disabled"],
    ["DISABLE_FORKS", "forks_disabled"],
  ])("200: what %s switches off is off", async (variable, field) => {
    const less = await makeApi({ settings: { [variable]: "true" } });
    const before = (await api.call("GET", "/settings/repository")).json;
    const { json } = await less.call("GET", "/settings/repository");
    expect(json).toEqual({ ...before, [field]: true });
    expect(before[field]).toBe(false);
    await less.stop();
  });
});

describe("getGeneralAttachmentSettings", () => {
  it("200", async () => {
    expect((await api.call("GET", "/settings/attachment")).status).toBe(200);
  });
});

describe("getGeneralUISettings", () => {
  it("200: the reactions that clients offer", async () => {
    const { status, json } = await api.call("GET", "/settings/ui");
    expect([status, json.allowed_reactions]).toEqual([200, expect.arrayContaining(["+1", "heart"])]);
  });
});

describe("EXPLORE_REQUIRE_SIGNIN_VIEW", () => {
  it("401: anonymous callers who look at users; the rest stays open (semantics §2.3)", async () => {
    const alice = await unexplored.makeUser({ name: "alice" });
    for (const path of ["/users/search?q=a", "/users/alice", "/users/alice/repos", "/users/nobody"]) {
      expect((await unexplored.call("GET", path)).status).toBe(401);
    }
    expect((await unexplored.call("GET", "/users/search?q=a", { as: alice })).status).toBe(200);
    expect((await unexplored.call("GET", "/repos/search")).status).toBe(200);
  });
});

describe("DISABLE_USERS_PAGE", () => {
  it("404: searches for users, whoever asks; a user is found by name (semantics §2.3)", async () => {
    const boss = await unlisted.makeUser({ name: "boss", isAdmin: true });
    expect((await unlisted.call("GET", "/users/search?q=a")).status).toBe(404);
    expect((await unlisted.call("GET", "/users/search?q=a", { as: boss })).status).toBe(404);
    expect((await unlisted.call("GET", "/users/boss")).status).toBe(200);
  });
});
