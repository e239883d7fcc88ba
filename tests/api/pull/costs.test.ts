import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { commitOn, makeBase, openPull } from "./make.ts";

let api: TestApi;
let alice: Caller;
let base: string;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  base = await makeBase(api, alice, "base");
  for (const name of ["a", "b", "c", "d"]) await commitOn(api, base, name, name, { as: alice });
  for (const head of ["a", "b"]) await openPull(api, base, { as: alice, head });
});
afterAll(() => api.stop());

/** Requests, read and write units of the table, caller and repository included. */
async function cost(method: string, path: string, body?: object): Promise<number[]> {
  const { status, headers } = await api.call(method, base + path, { as: alice, ...(body && { body }) });
  expect(status).toBeLessThan(300);
  const [, desc = ""] = /table;desc="([^"]*)"/.exec(headers.get("server-timing") ?? "") ?? [];
  return (desc.match(/[\d.]+/g) ?? []).map(Number);
}

/** The same of the second of two such calls. */
async function warm(method: string, path: string): Promise<number[]> {
  await cost(method, path);
  return cost(method, path);
}

/** No more than these requests, read units and write units. */
const isWithin = (found: readonly number[], most: readonly number[]): boolean =>
  most.every((bound, at) => (found[at] ?? Number.NaN) <= bound);

describe("what pull requests ask of the table, warm, caller and repository included", () => {
  it.each([
    ["repoGetPullRequest", "/pulls/1", [6, 14, 0]],
    ["repoListPullRequests", "/pulls", [7, 16, 0]],
    ["repoGetPullRequestFiles", "/pulls/1/files", [6, 12, 0]],
  ] as const)("%s: GET %s, at most %j requests, read and write units", async (_id, path, most) => {
    const found = await warm("GET", path);
    expect([found, isWithin(found, most)]).toEqual([found, true]);
  });

  it("repoCreatePullRequest: at most 18 requests, 24 read and 36 write units, as many beside other open requests", async () => {
    const create = (head: string) => cost("POST", "/pulls", { title: "T", head, base: "main" });
    const [first, second] = [await create("c"), await create("d")];
    for (const found of [first, second])
      expect([found, isWithin(found, [18, 24, 36])]).toEqual([found, true]);
  });

  it.each([
    ["merge", "e"],
    ["squash", "f"],
    ["rebase", "g"],
    ["rebase-merge", "h"],
    ["fast-forward-only", "i"],
  ])("repoMergePullRequest, %s: at most 24 requests, 32 read and 48 write units", async (style, head) => {
    await commitOn(api, base, head, head, { as: alice });
    const { number } = await openPull(api, base, { as: alice, head });
    const found = await cost("POST", `/pulls/${number}/merge`, { Do: style });
    expect([found, isWithin(found, [24, 32, 48])]).toEqual([found, true]);
  });
});
