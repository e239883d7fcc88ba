import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cronTaskNames } from "#core/cron-task/cron-task";
import { tick } from "#functions/workers/tick";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let boss: Caller;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

const at = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");

describe("adminCronList", () => {
  it("200: each task, never done at first, then when it was done and when its next turn comes", async () => {
    const never = { schedule: "@every 60s", prev: "0001-01-01T00:00:00Z", exec_times: 0 };
    const before = await api.call("GET", "/admin/cron", { as: boss });
    expect(before.status).toBe(200);
    expect(before.json).toMatchObject(cronTaskNames.map((name) => ({ ...never, name })));
    await tick(api.forge);
    const done = api.clock.now();
    api.clock.advance(10_000);
    const after = await api.call("GET", "/admin/cron", { as: boss });
    const once = { prev: at(done), next: at(done + 60_999), exec_times: 1 };
    expect(after.json).toMatchObject(cronTaskNames.map((name) => ({ name, ...once })));
  });

  it("200: pages as other lists do", async () => {
    const answer = await api.call("GET", "/admin/cron?limit=2&page=2", { as: boss });
    expect(answer.json.map(({ name }: { name: string }) => name)).toEqual(cronTaskNames.slice(2, 4));
    expect(answer.headers.get("x-total-count")).toBe(String(cronTaskNames.length));
  });

  it("401, 403: for administrators alone", async () => {
    expect((await api.call("GET", "/admin/cron")).status).toBe(401);
    expect((await api.call("GET", "/admin/cron", { as: alice })).status).toBe(403);
  });
});

describe("adminCronRun", () => {
  it("204: the task is queued, and what is queued is not lost", async () => {
    api.clock.advance(61_000);
    await tick(api.forge);
    const answer = await api.call("POST", "/admin/cron/sweep_packs", { as: boss });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    api.clock.advance(61_000);
    expect((await tick(api.forge)).resend_events).toBe(1);
  });

  it("404: a task that there is not", async () => {
    const answer = await api.call("POST", "/admin/cron/delete_everything", { as: boss });
    expect([answer.status, answer.json.message]).toEqual([
      404,
      "there is no task delete_everything: GET /admin/cron lists those there are",
    ]);
    expect((await api.call("POST", "/admin/cron/toString", { as: boss })).status).toBe(404);
  });

  it("401, 403: for administrators alone", async () => {
    expect((await api.call("POST", "/admin/cron/sweep_packs")).status).toBe(401);
    expect((await api.call("POST", "/admin/cron/sweep_packs", { as: alice })).status).toBe(403);
  });
});
