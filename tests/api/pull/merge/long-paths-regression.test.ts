import { afterAll, beforeAll, expect, it } from "vitest";
import { judgementKey } from "#core/pull/pull.table";
import { openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { holdTimeStill } from "#tests/support/still-time";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

it("repoCreatePullRequest: 201 with a judgement that is kept, however long the paths in conflict are", async () => {
  holdTimeStill();
  const id = await makeRepository(api, alice, "long");
  const folder = Array.from({ length: 40 }, () => "n".repeat(100)).join("/");
  const files = (text: string) =>
    Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`${folder}/${at}`, text]));
  await pushFiles(api, alice, "long", { files: files("one\n") });
  await pushFiles(api, alice, "long", { branch: "topic", from: "main", files: files("two\n") });
  await pushFiles(api, alice, "long", { files: files("three\n") });
  const { mergeable } = await openPull(api, "/repos/alice/long", { as: alice });
  expect(mergeable).toBe(false);
  const kept = await api.forge.table.get(judgementKey(id, 1));
  expect(kept).toMatchObject({ state: "conflict", files: 120, conflicts: { length: 16 } });
});
