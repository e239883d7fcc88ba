import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

/** The cost of forks and transfers, for a repository with one file and for one with many files and branches. */
let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  await fill("small", 1, 1);
  await fill("large", 400, 100);
});
afterAll(() => api.stop());

/** A repository of one commit with these files, to which these branches lead. */
async function fill(name: string, files: number, branches: number): Promise<void> {
  const id = await makeRepository(api, alice, name);
  const names = Array.from({ length: files }, (_, at) => [
    `folder-${at % 20}/file-${at}.txt`,
    `text ${at}\n`,
  ]);
  const commit = await pushFiles(api, alice, name, { files: Object.fromEntries(names) });
  const changes = Array.from({ length: branches - 1 }, (_, at) => ({
    ...{ name: `refs/heads/branch-${at}`, new: commit },
  }));
  if (changes.length === 0) return;
  const place = { id, ownerId: alice.user.id };
  const outcome = await pushToRepository(api.forge, place, { user: alice.user }, { changes });
  expect(outcome.kind).toBe("done");
}

/** Requests to the table with their read and write units, from the answer. */
function costOf({ status, headers }: ApiAnswer): string {
  expect(status).toBeLessThan(300);
  const [, cost = ""] = /table;desc="(.+?)"/.exec(headers.get("server-timing") ?? "") ?? [];
  return cost;
}

describe("createFork", () => {
  it("takes 25 requests, whatever the repository holds; of refs a write unit for each nine, and no object (semantics §24.4)", async () => {
    const costs: string[] = [];
    for (const name of ["small", "large"]) {
      const as = await api.makeUser();
      const answer = await api.call("POST", `/repos/alice/${name}/forks`, { as, body: {} });
      expect(answer.headers.get("server-timing")).toContain('objects;desc="0 reads, 0 writes"');
      costs.push(costOf(answer));
    }
    expect(costs).toEqual([
      "25 requests, 24 read and 45 write units",
      "25 requests, 24 read and 56 write units",
    ]);
  });
});

describe("repoTransfer and acceptRepoTransfer", () => {
  it("take 12 and 13 requests, whatever the repository holds (semantics §24.6)", async () => {
    for (const name of ["small", "large"]) {
      const as = await api.makeUser();
      const body = { new_owner: as.name };
      const started = await api.call("POST", `/repos/alice/${name}/transfer`, { as: alice, body });
      const accepted = await api.call("POST", `/repos/alice/${name}/transfer/accept`, { as });
      expect([name, costOf(started), costOf(accepted)]).toEqual([
        name,
        "12 requests, 20 read and 10 write units",
        "13 requests, 14 read and 32 write units",
      ]);
    }
  });
});
