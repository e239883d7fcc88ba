import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { IngestState } from "#core/git/ingest/ingest-state";
import { maker } from "#tests/api/repository/furnish";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let bob: Caller;
let make: ReturnType<typeof maker>;

beforeAll(async () => {
  api = await makeApi();
  const alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  make = maker(api, bob);
  await makeRepository(api, alice, "r");
  await pushFiles(api, alice, "r", { files: { "a.txt": "a\n" } });
  await make("POST", "/repos/alice/r/forks", {});
  await pushFiles(api, bob, "r", { files: { "b.txt": "b\n" }, branch: "topic", from: "main" });
  await pushFiles(api, alice, "r", { files: { "c.txt": "c\n" } });
});
afterAll(() => api.stop());
afterEach(() => vi.restoreAllMocks());

/** What is copied is looked through on a machine that needs another 16 s at each look at the clock. */
function copySlowly(): void {
  const now = performance.now.bind(performance);
  const isTurnOver = IngestState.prototype.isTurnOver;
  let lateMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + lateMs);
  vi.spyOn(IngestState.prototype, "isTurnOver").mockImplementation(function (this: IngestState) {
    lateMs += 16_000;
    return isTurnOver.call(this);
  });
}

describe("a copy from one repository to another that takes more than 15 s", () => {
  it("413: repoSyncForkDefault, repoSyncForkBranch, repoUpdatePullRequest: nothing moves, and later it goes", async () => {
    const { number } = await make("POST", "/repos/alice/r/pulls", {
      ...{ title: "T", head: "bob:topic", base: "main" },
    });
    const paths = [
      "/repos/bob/r/sync_fork",
      "/repos/bob/r/sync_fork/main",
      `/repos/alice/r/pulls/${number}/update`,
    ];
    const branches = async () =>
      (await make("GET", "/repos/bob/r/branches")).map((one: { commit: { id: string } }) => one.commit.id);
    const before = await branches();
    copySlowly();
    for (const path of paths) {
      const { status, json } = await api.call("POST", path, { as: bob });
      expect([path, status, json.message]).toEqual([path, 413, expect.stringContaining("pull and push it")]);
    }
    vi.restoreAllMocks();
    expect(await branches()).toEqual(before);
    expect((await api.call("POST", paths[1] ?? "", { as: bob })).status).toBe(204);
    expect((await api.call("POST", paths[2] ?? "", { as: bob })).status).toBe(200);
  });
});
