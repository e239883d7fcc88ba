import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { entryPrefix, type TimelineEntry } from "#core/comment/comment.table";
import { issuePartition } from "#core/issue/issue.table";
import { purgeIssue } from "#core/issue/removal/purge";
import { clearSome } from "#core/lifecycle/end-of-issue";
import { mirrorPrefix } from "#core/stopwatch/stopwatch.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { openIssue, withScopes } from "../issue/make.ts";
import { makeRepository, setRepository, type TestRepository } from "../repository/make.ts";

let api: TestApi;
let owner: Caller;
let author: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  author = await api.makeUser();
});
beforeEach(async () => {
  owner = await api.makeUser();
  where = await makeRepository(api, owner);
  for (const title of ["one", "two"]) await openIssue(api, where, author, { title });
});
afterAll(() => api.stop());

type Act = "start" | "stop" | "delete";
const act = async (what: Act, number = 1, as = owner) => {
  const method = what === "delete" ? "DELETE" : "POST";
  return (await api.call(method, `${where.path}/issues/${number}/stopwatch/${what}`, { as })).status;
};
const running = async (as = owner) => (await api.call("GET", "/user/stopwatches", { as })).json;
const timesOf = async (number: number) =>
  (await api.call("GET", `${where.path}/issues/${number}/times`, { as: owner })).json.map(
    ({ time }: { time: number }) => time,
  );
const told = async (number: number) => {
  const pk = issuePartition(where.repository.id, number);
  const entries = await api.forge.table.queryAll<TimelineEntry>({ pk, prefix: entryPrefix });
  return entries.map(({ type, body }) => [type, body]);
};

describe("userGetStopWatches", () => {
  it("200: nothing is listed of an issue that the caller may not read any more (B-18)", async () => {
    const writer = await api.makeUser();
    const person = `${where.path}/collaborators/${writer.name}`;
    await api.call("PUT", person, { as: owner, body: { permission: "write" } });
    expect(await act("start", 1, writer)).toBe(201);
    await api.call("PATCH", where.path, { as: owner, body: { private: true } });
    await api.call("DELETE", person, { as: owner });
    expect(await running(writer)).toEqual([]);
    const own = await makeRepository(api, writer);
    await openIssue(api, own, writer);
    const started = await api.call("POST", `${own.path}/issues/1/stopwatch/start`, { as: writer });
    expect(started.status).toBe(201);
    // Without the right to write, nothing is booked for the user.
    expect(await timesOf(1)).toEqual([]);
  });

  it("ends with its issue, unbooked, and another may be started", async () => {
    await act("start", 1);
    await purgeIssue(api.forge, clearSome, { repositoryId: where.repository.id, number: 1 });
    expect(await running()).toEqual([]);
    expect(await act("start", 2)).toBe(201);
    expect(await timesOf(2)).toEqual([]);
  });
});

describe("issueStartStopWatch", () => {
  it("201: starting on another issue stops and books the first; 409: starting it again", async () => {
    await act("start", 1);
    expect(await act("start", 1)).toBe(409);
    api.clock.advance(5_000);
    expect(await act("start", 2)).toBe(201);
    expect((await running()).map((one: { issue_index: number }) => one.issue_index)).toEqual([2]);
    expect([await timesOf(1), await timesOf(2)]).toEqual([[5], []]);
    expect([await act("stop", 2), await act("stop", 2), await act("stop", 1)]).toEqual([201, 409, 409]);
  });

  it("403: with a token limited to what is public while one runs in a private repository, which stays as it is", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    const start = (path: string, as: Caller) => api.call("POST", `${path}/issues/1/stopwatch/start`, { as });
    expect((await start(hidden.path, owner)).status).toBe(201);
    api.clock.advance(5_000);
    const publicOnly = await withScopes(api, owner, ["all", "public-only"]);
    const refused = await start(where.path, publicOnly);
    expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining("stop it first")]);
    const booked = await api.call("GET", `${hidden.path}/issues/1/times`, { as: owner });
    expect(booked.json).toEqual([]);
    expect((await running()).map((one: { repo_name: string }) => one.repo_name)).toEqual([
      hidden.repository.name,
    ]);
    expect((await start(where.path, owner)).status).toBe(201);
  });

  it("403 without a body: who may not write issues, and where no time is tracked; 404: no such issue", async () => {
    const path = `${where.path}/issues/1/stopwatch/start`;
    const refused = await api.call("POST", path, { as: author });
    expect([refused.status, refused.text]).toEqual([403, ""]);
    expect(await act("start", 99)).toBe(404);
    const tracker = { hasTimeTracker: false, isTimeForContributorsOnly: true, hasDependencies: true };
    await setRepository(api, where, { tracker });
    for (const what of ["start", "stop", "delete"] as const) expect(await act(what)).toBe(403);
  });

  it("201: of several that are started at once one runs at the end, and every other is booked", async () => {
    const statuses = await Promise.all([act("start", 1), act("start", 2), act("start", 1)]);
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(await running()).toHaveLength(1);
    const types = [...(await told(1)), ...(await told(2))].map(([type]) => type);
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    expect(count("start_tracking") - count("stop_tracking")).toBe(1);
    const mirrors = await Promise.all(
      [1, 2].map((number) =>
        api.forge.table.queryAll({ pk: issuePartition(where.repository.id, number), prefix: mirrorPrefix }),
      ),
    );
    expect(mirrors.flat()).toHaveLength(1);
  });
});

describe("issueStopStopWatch", () => {
  it("201, 201: runs, is listed, and is booked when it is stopped; then 409", async () => {
    const started = new Date(api.clock.now()).toISOString().replace(/\.\d+Z/, "Z");
    expect(await act("start")).toBe(201);
    api.clock.advance(3_903_000);
    expect(await running()).toEqual([
      {
        created: started,
        seconds: 3903,
        duration: "1h 5m 3s",
        issue_index: 1,
        issue_title: "one",
        repo_owner_name: owner.name,
        repo_name: where.repository.name,
      },
    ]);
    expect(await act("stop")).toBe(201);
    expect(await act("stop")).toBe(409);
    expect([await running(), await timesOf(1)]).toEqual([[], [3903]]);
    expect(await told(1)).toEqual([
      ["start_tracking", ""],
      ["stop_tracking", "1h 5m 3s"],
    ]);
  });
});

describe("issueDeleteStopWatch", () => {
  it("204: discarded, nothing is booked; then 409", async () => {
    await act("start");
    api.clock.advance(5_000);
    expect([await act("delete"), await act("delete")]).toEqual([204, 409]);
    expect([await running(), await timesOf(1)]).toEqual([[], []]);
    expect((await told(1)).at(-1)).toEqual(["cancel_tracking", ""]);
  });
});
