import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCode, packOf } from "#core/code/code";
import { writeCommit } from "#core/git/merge/write-commit";
import { editTree } from "#core/git/merge/write-tree";
import { fileMode } from "#core/git/object/tree";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushRef } from "#tests/support/code";

let api: TestApi;
let alice: Caller;

/** A repository with so many commits, each of another file of many, in one pack; a deep path is changed by every tenth. */
async function makeLong(name: string, commits: number): Promise<void> {
  const id = await makeRepository(api, alice, name);
  const { history } = await openCode(api.forge, id);
  let tip: string | undefined;
  let tree: string | undefined;
  for (let at = 0; at < commits; at++) {
    const who = { name: "A", email: "a@example.com", seconds: 1_000 + at, timezone: "+0000" };
    const path = at % 10 === 0 ? "a/b/c/d/e" : `f/${at % 50}`;
    const version = { mode: fileMode, id: history.add("blob", Buffer.from(`${at}\n`)) };
    tree = await editTree(history, tree, new Map([[path, version]]));
    const parents = tip === undefined ? [] : [tip];
    tip = await writeCommit(history, { tree, parents, author: who, committer: who, message: `${at}\n` });
  }
  if (tip !== undefined) {
    await pushRef(api, alice, name, { ref: "refs/heads/main", id: tip, pack: packOf(history, [tip]) });
  }
}

/** What a call costs warm, as its answer says: requests and units of the table, requests of the bucket. */
async function costOf(method: string, path: string, body?: () => object): Promise<string> {
  const call = () => api.call(method, `/repos/alice/${path}`, { as: alice, ...(body && { body: body() }) });
  await call();
  const { status, headers, text } = await call();
  expect([200, 201], text).toContain(status);
  return headers.get("server-timing") ?? "";
}

beforeAll(async () => {
  api = await makeApi({ settings: { PASSWORD_HASH_COST: "10" }, simulation: false });
  alice = await api.makeUser({ name: "alice" });
  await makeLong("short", 60);
  await makeLong("long", 1_000);
});
afterAll(() => api.stop());

describe("what the code of a repository costs does not grow with its history", () => {
  it.each([
    ["contents of a deep path", "GET", (repo: string) => `${repo}/contents/a/b/c/d/e`, undefined],
    ["a page of 50 commits of a path", "GET", (repo: string) => `${repo}/commits?path=f&limit=50`, undefined],
    ["a tree", "GET", (repo: string) => `${repo}/git/trees/main?recursive=1`, undefined],
    ["a write of a file", "POST", (repo: string) => `${repo}/contents`, () => someFile()],
  ] as const)(
    "%s: the same of 60 and of 1,000 commits, but for one look at the commit graph",
    async (_what, method, path, body) => {
      const short = countsIn(await costOf(method, path("short"), body));
      const long = countsIn(await costOf(method, path("long"), body));
      expect(long.bucket).toEqual(short.bucket);
      expect(long.table - short.table).toBeLessThanOrEqual(1);
      expect(long.table).toBeLessThanOrEqual(8);
    },
  );
});

/** Requests to the table, and reads and writes of the bucket. */
function countsIn(cost: string): { table: number; bucket: string[] } {
  const [table = "", ...bucket] = cost.match(/\d+ (?:requests|reads|writes)/g) ?? [];
  return { table: Number.parseInt(table, 10), bucket };
}

let files = 0;
function someFile(): object {
  files += 1;
  return { files: [{ operation: "create", path: `new/${files}`, content: "eA==" }] };
}
