import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "open" } });
});
afterAll(() => api.stop());

const tooLongForAnyKey = "a".repeat(3_000);
const basic = (login: string) => ({
  authorization: `Basic ${Buffer.from(`${login}:wrong`).toString("base64")}`,
});

describe("names that no key can hold", () => {
  it.each([
    ["a user", `/users/${tooLongForAnyKey}`],
    ["an owner", `/repos/${tooLongForAnyKey}/open`],
    ["a repository, by its partition", `/repos/alice/${tooLongForAnyKey}`],
    ["a repository, by its sort key", `/repos/alice/${"b".repeat(1_100)}`],
    ["an author", `/repos/alice/open/issues?created_by=${tooLongForAnyKey}`],
  ])("404: %s", async (_what, path) => {
    expect(await api.call("GET", path, { as: alice })).toMatchObject({ status: 404 });
  });

  it.each([
    ["a name", tooLongForAnyKey],
    ["an address", `${tooLongForAnyKey}@example.com`],
  ])("401: a login by %s", async (_what, login) => {
    expect(await api.call("GET", "/user", { headers: basic(login) })).toMatchObject({ status: 401 });
  });
});

describe("a JSON body with halves of surrogate pairs", () => {
  it("201: they come back as U+FFFD, whole pairs as they are", async () => {
    const title = "lone \\ud83d, \\uDE00 and whole \\ud83d\\ude00";
    const raw = `{"title": "${title}", "body": "\\udead"}`;
    const headers = { "content-type": "application/json" };
    const created = await api.call("POST", "/repos/alice/open/issues", { as: alice, raw, headers });
    expect(created.status).toBe(201);
    const found = await api.call("GET", `/repos/alice/open/issues/${created.json.number}`);
    expect(found.json).toMatchObject({ title: "lone \ufffd, \ufffd and whole \u{1f600}", body: "\ufffd" });
  });

  it("201: a new token may have such a name", async () => {
    const headers = { "content-type": "application/json" };
    const raw = '{"name": "\\ud800", "scopes": ["all"]}';
    const created = await api.call("POST", "/users/alice/tokens", { as: alice, raw, headers });
    expect(created).toMatchObject({ status: 201, json: { name: "\ufffd" } });
  });
});

describe("paths that only resemble the API's", () => {
  it.each(["/api/v2/version", "/api/xx/user", "//abc.de/user/repos", "/api/v1version"])(
    "404: %s",
    async (path) => {
      const headers = { authorization: `token ${alice.token}` };
      const response = await api.app.request(new Request(`http://localhost${path}`, { headers }));
      expect(response.status).toBe(404);
    },
  );

  it("links of a list stay under ROOT_URL, its path included", async () => {
    const other = await makeApi({ settings: { ROOT_URL: "https://forge.example/code" } });
    try {
      const owner = await other.makeUser({});
      for (const name of ["one", "two"])
        await other.call("POST", "/user/repos", { as: owner, body: { name } });
      const page = await other.call("GET", "/user/repos?limit=1", { as: owner });
      expect(page.headers.get("link")).toContain("<https://forge.example/code/api/v1/user/repos?");
    } finally {
      await other.stop();
    }
  });
});

describe("the interface's document", () => {
  it("may be kept for five minutes, and carries an ETag that saves sending it again", async () => {
    const get = (headers = {}) => api.app.request("/api/v1/openapi.json", { headers });
    const { status, headers } = await get();
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=300, must-revalidate");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect((await get({ "if-none-match": headers.get("etag") ?? "" })).status).toBe(304);
  });
});
