import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { lastId } from "#core/ids";
import { repositoryKey, repositoryPartition } from "#core/repository/repository.table";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";

let api: TestApi;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await api.makeUser({ name: "boss", isAdmin: true });
});
afterAll(() => api.stop());

async function make(method: string, path: string, as: Caller, body?: object): Promise<JsonValue> {
  const answer = await api.call(method, path, { as, ...defined({ body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}

describe("createFork killed at a write", () => {
  it("leaves nothing, or all of the fork, and can be repeated", async () => {
    await make("POST", "/user/repos", alice, { name: "source", auto_init: true });
    const fork = () => api.call("POST", "/repos/alice/source/forks", { as: bob, body: { name: "own" } });
    const read = () => api.call("GET", "/repos/bob/own", { as: bob });
    let [isKilled, undone] = [true, 0];
    for (let write = 1; isKilled; write += 1) {
      api.faults.crashAt(write, write % 2 === 0 ? "after" : "before");
      await fork().catch(() => undefined);
      isKilled = api.faults.hasCrashed;
      api.faults.recover();
      await finishJobs(api);
      const isThere = (await read()).status === 200;
      if (!isThere) {
        undone += 1;
        const id = await lastId(api.forge.table, "repository");
        const isSource = (await api.forge.table.get(repositoryKey(id)))?.name === "source";
        const left = await api.forge.table.queryAll({ pk: repositoryPartition(id) });
        expect([write, isSource || left.length === 0]).toEqual([write, true]);
        expect((await make("GET", "/repos/alice/source", alice)).forks_count).toBe(0);
      }
      expect((await fork()).status).toBe(isThere ? 409 : 202);
      expect((await make("GET", "/repos/alice/source", alice)).forks_count).toBe(1);
      await make("DELETE", "/repos/bob/own", bob);
      await finishJobs(api);
    }
    expect(undone).toBeGreaterThan(2);
  });
});

it("after all of it the whole table holds together", async () => {
  await finishJobs(api);
  expect(await findingsAtRest(api)).toEqual([]);
});
