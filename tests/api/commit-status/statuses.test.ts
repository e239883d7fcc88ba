import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: object, as: Caller = alice) =>
  api.call(method, `/repos/alice/${path}`, { as, ...defined({ body }) });

/** A repository with a commit that has reports in this order: context and state. */
async function makeReported(reports: readonly (readonly [string, string])[], options: object = {}) {
  made += 1;
  const name = `r${made}`;
  await makeRepository(api, alice, name, options);
  const sha = await pushFiles(api, alice, name, { files: { f: "1" }, branch: "feature/x" });
  await pushRef(api, alice, name, { ref: "refs/tags/rel/1", id: sha });
  for (const [context, state] of reports) await report(name, sha, { context, state });
  return { name, sha };
}
const report = (name: string, sha: string, body: object, as = alice) =>
  call("POST", `${name}/statuses/${sha}`, body, as);
const combinedState = async (name: string, sha: string) =>
  (await call("GET", `${name}/commits/${sha}/status`)).json;

describe("repoCreateStatus", () => {
  it("201: texts trimmed, ids count up in each commit (semantics §23)", async () => {
    const { name, sha } = await makeReported([["ci", "pending"]]);
    const body = {
      state: "success",
      context: " ci ",
      target_url: " https://ci.example/1 ",
      description: " ok ",
    };
    const { status, json } = await report(name, sha, body);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      id: 2,
      status: "success",
      context: "ci",
      target_url: "https://ci.example/1",
      description: "ok",
      url: `http://127.0.0.1:3000/api/v1/repos/alice/${name}/statuses/${sha}`,
      creator: { login: "alice" },
    });
    expect(json.updated_at).toBe(json.created_at);
  });

  it("201: by a short id; in a SHA-256 repository (B-09)", async () => {
    const { name, sha } = await makeReported([], { object_format_name: "sha256" });
    const { json } = await report(name, sha.slice(0, 10), { state: "success" });
    expect(json.url).toContain(sha);
    expect(json.context).toBe("");
  });

  it("201: by branch and tag with slashes, raw and encoded (D-RAWPATH); 400, 404: names of nothing", async () => {
    const { name, sha } = await makeReported([]);
    for (const ref of ["feature/x", "feature%2Fx", "rel/1"]) {
      const { status, json } = await report(name, ref, { state: "success" });
      expect([ref, status, json.url.endsWith(sha)]).toEqual([ref, 201, true]);
    }
    for (const ref of ["feature", "%00", "..%2F..", "%FF"]) {
      expect([400, 404]).toContain((await report(name, ref, { state: "success" })).status);
    }
  });

  it("201: a context of any name is told again, also where objects have something of that name", async () => {
    const { name, sha } = await makeReported([]);
    for (const context of ["__proto__", "constructor", "ci / ünit"])
      await report(name, sha, { context, state: "failure" });
    const { state, statuses } = await combinedState(name, sha);
    const contexts = statuses.map((one: { context: string }) => one.context);
    expect([state, contexts]).toEqual(["failure", ["ci / ünit", "constructor", "__proto__"]]);
  });

  it("race: reports at one time are all kept, each under a number of its own", async () => {
    const { name, sha } = await makeReported([]);
    const states = ["pending", "success", "failure", "warning"];
    const answers = await Promise.all(states.map((state) => report(name, sha, { state, context: state })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(answers.map(({ json }) => json.id).sort()).toEqual([1, 2, 3, 4]);
    expect((await combinedState(name, sha)).total_count).toBe(4);
  });

  it("404: an unknown commit; 422: an unknown state, none, texts that are too long", async () => {
    const { name, sha } = await makeReported([]);
    expect((await report(name, "1".repeat(40), { state: "success" })).status).toBe(404);
    expect((await report(name, sha, { state: "fine" })).status).toBe(422);
    expect((await report(name, sha, {})).status).toBe(422);
    for (const target_url of [
      "javascript:alert(1)",
      "java\tscript:alert(1)",
      "/relative",
      "data:text/html,x",
    ]) {
      expect((await report(name, sha, { state: "success", target_url })).status).toBe(422);
    }
    expect((await report(name, sha, { state: "success", context: "x".repeat(256) })).status).toBe(422);
    expect((await report(name, sha, { state: "success", description: "x".repeat(65_537) })).status).toBe(422);
  });

  it("403: a reader (semantics §23-5)", async () => {
    const { name, sha } = await makeReported([]);
    expect((await report(name, sha, { state: "success" }, bob)).status).toBe(403);
  });

  it("leaves an event that names the commit, and no hook hears of it", async () => {
    const { name, sha } = await makeReported([]);
    await call("POST", `${name}/hooks`, {
      type: "gitea",
      config: { url: "https://x.example", content_type: "json" },
    });
    expect((await report(name, sha, { state: "success" })).status).toBe(201);
  });
});

describe("repoListStatuses", () => {
  it("200: newest first, in any order, of one state, by page (semantics §23)", async () => {
    const { name, sha } = await makeReported([
      ["a", "pending"],
      ["a", "success"],
      ["b", "failure"],
    ]);
    const ids = async (query: string) =>
      (await call("GET", `${name}/statuses/${sha}${query}`)).json.map(({ id }: { id: number }) => id);
    expect(await ids("")).toEqual([3, 2, 1]);
    for (const sort of ["recentupdate", "highestindex"])
      expect(await ids(`?sort=${sort}`)).toEqual([3, 2, 1]);
    for (const sort of ["oldest", "leastupdate", "leastindex"])
      expect(await ids(`?sort=${sort}`)).toEqual([1, 2, 3]);
    expect(await ids("?state=success")).toEqual([2]);
    expect(await ids("?limit=1&page=2")).toEqual([2]);
    const { headers } = await call("GET", `${name}/statuses/${sha}?limit=1`);
    expect(headers.get("x-total-count")).toBe("3");
    expect(headers.get("link")).toContain('rel="next"');
    expect((await call("GET", `${name}/statuses/${sha}?sort=newest`)).status).toBe(422);
  });

  it("200: by branch and tag with slashes; 404: unknown", async () => {
    const { name } = await makeReported([["a", "success"]]);
    for (const ref of ["feature/x", "feature%2Fx", "rel/1"]) {
      expect((await call("GET", `${name}/statuses/${ref}`)).json.length).toBe(1);
    }
    expect((await call("GET", `${name}/statuses/none`)).status).toBe(404);
  });
});

describe("repoGetCombinedStatus", () => {
  it.each([
    [
      "pending, then success of one check",
      [
        ["a", "pending"],
        ["a", "success"],
      ],
      "success",
      1,
    ],
    [
      "success and failure",
      [
        ["a", "success"],
        ["b", "failure"],
      ],
      "failure",
      2,
    ],
    ["an error", [["a", "error"]], "failure", 1],
    [
      "warning and success",
      [
        ["a", "warning"],
        ["b", "success"],
      ],
      "warning",
      2,
    ],
    [
      "pending and success",
      [
        ["a", "pending"],
        ["b", "success"],
      ],
      "pending",
      2,
    ],
    ["nothing", [], "", 0],
  ] as const)("200: %s (semantics §23-1 to 4)", async (_what, reports, state, total) => {
    const { name, sha } = await makeReported(reports);
    const json = await combinedState(name, sha);
    expect(json).toMatchObject({ state, total_count: total, sha, url: "", repository: { name } });
    expect(json.statuses.length).toBe(total);
    expect(json.commit_url).toBe(`http://127.0.0.1:3000/api/v1/repos/alice/${name}/commits/${sha}`);
  });

  it("200: their newest reports by page, with the count and links of a list (D-PAGING)", async () => {
    const { name, sha } = await makeReported([
      ["a", "success"],
      ["b", "pending"],
      ["c", "success"],
    ]);
    const whole = await call("GET", `${name}/commits/${sha}/status`);
    expect([whole.headers.get("x-total-count"), whole.headers.get("link")]).toEqual(["3", null]);
    const page = await call("GET", `${name}/commits/${sha}/status?page=2&limit=1`);
    expect(page.json.statuses.map((one: { context: string }) => one.context)).toEqual(["b"]);
    expect(page.json).toMatchObject({ state: "pending", total_count: 3 });
    expect(page.headers.get("x-total-count")).toBe("3");
    expect(page.headers.get("link")).toContain('page=3>; rel="next"');
  });

  it("200: the same by branch, tag and short id (semantics §23-6, D-RAWPATH)", async () => {
    const { name, sha } = await makeReported([["a", "failure"]]);
    for (const ref of ["feature/x", "feature%2Fx", "rel/1", sha.slice(0, 8)]) {
      expect(await combinedState(name, ref)).toMatchObject({ sha, state: "failure" });
    }
    expect((await call("GET", `${name}/commits/none/status`)).status).toBe(404);
  });
});

describe("repoGetCombinedStatusByRef", () => {
  it("200: combined without a query, the list with one (RES-Status, D-STATUSES)", async () => {
    const { name, sha } = await makeReported([
      ["a", "pending"],
      ["a", "success"],
    ]);
    const path = `${name}/commits/feature/x/statuses`;
    expect((await call("GET", path)).json).toMatchObject({ state: "success", sha, total_count: 1 });
    for (const query of ["page=1", "limit=5", "sort=oldest", "state=pending"]) {
      const { json, headers } = await call("GET", `${path}?${query}`);
      expect(Array.isArray(json)).toBe(true);
      expect(headers.get("x-total-count")).toBe(query.startsWith("state") ? "1" : "2");
    }
    expect((await call("GET", `${name}/commits/none/statuses`)).status).toBe(404);
  });

  it("200: always the list where COMMIT_STATUSES_FORM says so (D-STATUSES, Renovate)", async () => {
    const { name, sha } = await makeReported([["a", "success"]]);
    Object.assign(api.forge, { config: { ...api.forge.config, commitStatusesForm: "list" } });
    const { json } = await call("GET", `${name}/commits/${sha}/statuses`);
    Object.assign(api.forge, { config: { ...api.forge.config, commitStatusesForm: "combined" } });
    expect(json.map(({ context }: { context: string }) => context)).toEqual(["a"]);
  });
});
