import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

/** Every request reads the repository's item and the caller's: neither may grow without bound. */
let api: TestApi;
let admin: Caller;
beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "chief", isAdmin: true });
  await api.call("POST", "/user/repos", { as: admin, body: { name: "bounded" } });
});
afterAll(() => api.stop());

const url = "https://example.com/";
const long = "x".repeat(1_025);

describe("repoEdit", () => {
  it.each([
    ["ExternalTrackerURL", { external_tracker: { external_tracker_url: url + long } }],
    [
      "ExternalTrackerFormat",
      { external_tracker: { external_tracker_url: url, external_tracker_format: `${url}{index}${long}` } },
    ],
    [
      "ExternalTrackerStyle",
      { external_tracker: { external_tracker_url: url, external_tracker_style: long } },
    ],
    [
      "ExternalTrackerRegexpPattern",
      { external_tracker: { external_tracker_url: url, external_tracker_regexp_pattern: long } },
    ],
    ["ExternalWikiURL", { has_wiki: true, external_wiki: { external_wiki_url: url + long } }],
  ])("422: %s is over its bound", async (field, body) => {
    const answer = await api.call("PATCH", "/repos/chief/bounded", { as: admin, body });
    expect(answer).toMatchObject({ status: 422, json: { message: `[${field}]: MaxSize 1024` } });
  });
});

describe("adminCreateUser", () => {
  it("422: login_name is over its bound", async () => {
    const body = { username: "new", email: "new@example.com", password: "correct-horse-9", login_name: long };
    const answer = await api.call("POST", "/admin/users", { as: admin, body });
    expect(answer).toMatchObject({ status: 422, json: { message: "[LoginName]: MaxSize 255" } });
  });
});
