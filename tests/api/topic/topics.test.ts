import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { holdTimeStill } from "#tests/support/still-time";

let api: TestApi;
let alice: Caller;
let bob: Caller;
const path = "/repos/alice/one/topics";

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  for (const name of ["one", "two"]) await api.call("POST", "/user/repos", { as: alice, body: { name } });
  const body = { name: "secret", private: true };
  await api.call("POST", "/user/repos", { as: alice, body });
});
afterAll(() => api.stop());

const set = (topics: unknown, as: Caller | undefined = alice, at = path) =>
  api.call("PUT", at, { as, body: { topics } });
const stored = async () => (await api.call("GET", path)).json.topics;
const many = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`);

describe("repoUpdateTopics", () => {
  it("204: trimmed, in lower case, each once, empty ones dropped (semantics §41.3)", async () => {
    expect((await set(["A", "a", " b ", "", "  "])).status).toBe(204);
    expect(await stored()).toEqual(["a", "b"]);
    expect((await api.call("GET", "/repos/alice/one")).json.topics).toEqual(["a", "b"]);
    expect((await set(null)).status).toBe(204);
    expect(await stored()).toEqual([]);
  });

  it("422: more than 25 with null, those that are not valid by name; nothing changes", async () => {
    expect((await set(many(25))).status).toBe(204);
    const tooMany = await set(many(26));
    expect([tooMany.status, tooMany.json.invalidTopics]).toEqual([422, null]);
    const wrong = await set([
      "fine",
      "x_y",
      "-a",
      "ä",
      "a".repeat(36),
      "a".repeat(35),
      ".b",
      "c/d",
      "e\u0000",
    ]);
    expect(wrong.status).toBe(422);
    if (wrong.json.invalidTopics !== undefined) {
      expect(wrong.json.invalidTopics).toEqual(["x_y", "-a", "ä", "a".repeat(36), ".b", "c/d", "e\u0000"]);
    }
    const listed = await set(["fine", "x_y", "-a", "ä", "a".repeat(36)]);
    expect([listed.status, listed.json.invalidTopics]).toEqual([422, ["x_y", "-a", "ä", "a".repeat(36)]]);
    expect((await set("no list")).status).toBe(422);
    expect(await stored()).toHaveLength(25);
  });

  it("401 anonymous, 403 who is no administrator of it, 404 what is hidden", async () => {
    expect((await api.call("PUT", path, { body: { topics: [] } })).status).toBe(401);
    expect((await set([], bob)).status).toBe(403);
    expect((await set([], bob, "/repos/alice/secret/topics")).status).toBe(404);
  });
});

describe("repoListTopics", () => {
  it("200: paged, with the total", async () => {
    await set(many(5));
    const { json, headers } = await api.call("GET", `${path}?limit=2&page=2`);
    expect([json, headers.get("x-total-count")]).toEqual([{ topics: ["t2", "t3"] }, "5"]);
    expect((await api.call("GET", "/repos/alice/secret/topics", { as: bob })).status).toBe(404);
  });
});

describe(["repoAddTopic", "repoDeleteTopic"].join(", "), () => {
  const one = (method: string, topic: string, as: Caller = alice) =>
    api.call(method, `${path}/${encodeURIComponent(topic)}`, { as });

  it("204 also when it is there; 422 the 26th, and a name that is not valid, bare; 404 what is not set", async () => {
    await set(many(24));
    for (let times = 0; times < 2; times += 1) expect((await one("PUT", "Web")).status).toBe(204);
    expect(await stored()).toContain("web");
    expect((await one("PUT", "more")).status).toBe(422);
    for (const method of ["PUT", "DELETE"]) {
      const { status, json } = await one(method, "x_y");
      expect([status, json.invalidTopics]).toEqual([422, "x_y"]);
    }
    expect((await one("DELETE", "WEB")).status).toBe(204);
    expect((await one("DELETE", "web")).status).toBe(404);
    expect((await one("PUT", "web", bob)).status).toBe(403);
  });

  it("of many added at the same time none is lost", async () => {
    holdTimeStill();
    await set([]);
    const names = many(6);
    const all = await Promise.all(names.map((name) => one("PUT", name)));
    expect(all.map(({ status }) => status)).toEqual(names.map(() => 204));
    expect((await stored()).toSorted()).toEqual(names);
  });
});

describe("topicSearch", () => {
  const found = async (query: string, as?: Caller) => {
    const { status, json, headers } = await api.call("GET", `/topics/search?${query}`, { as });
    expect(status).toBe(200);
    const rows = json.topics as { topic_name: string; repo_count: number; id: number }[];
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    return [rows.map((row) => [row.topic_name, row.repo_count]), headers.get("x-total-count")];
  };

  it("200: by a part of the name, the most used first, counted over what the caller may see (B-18)", async () => {
    await set(["search-web", "search-cli"]);
    await set(["search-web"], alice, "/repos/alice/two/topics");
    await set(["search-web", "search-hidden"], alice, "/repos/alice/secret/topics");
    const open = [
      ["search-web", 2],
      ["search-cli", 1],
    ];
    expect(await found("q=SEARCH-")).toEqual([open, "2"]);
    expect(await found("q=search-", bob)).toEqual([open, "2"]);
    expect(await found("q=search-", alice)).toEqual([
      [
        ["search-web", 3],
        ["search-cli", 1],
        ["search-hidden", 1],
      ],
      "3",
    ]);
    expect(await found("q=search-&limit=1&page=2")).toEqual([[["search-cli", 1]], "2"]);
    expect(await found("q=nothing-like-it")).toEqual([[], "0"]);
    const { json } = await api.call("GET", "/repos/search?topic=true&q=search-web&sort=id");
    expect(json.data.map((row: { name: string }) => row.name)).toEqual(["one", "two"]);
  });

  it("200: what nobody has any more is gone, and a topic keeps its id", async () => {
    const idOf = async () => (await api.call("GET", "/topics/search?q=search-cli")).json.topics[0]?.id;
    const id = await idOf();
    await set([]);
    expect(await idOf()).toBe(undefined);
    await set(["search-cli"]);
    expect(await idOf()).toBe(id);
  });
});
