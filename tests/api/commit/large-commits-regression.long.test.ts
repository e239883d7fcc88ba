import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCode } from "#core/code/open";
import type { ObjectId } from "#core/git/format/object-format";
import { packOfNew } from "#core/git/merge/new-objects";
import { writeCommit } from "#core/git/merge/write-commit";
import { editTree } from "#core/git/merge/write-tree";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushRef } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

/** Pushes a line of commits with such messages and signatures to a new repository, oldest first. */
async function pushCommits(
  name: string,
  messages: readonly string[],
  signature?: string,
): Promise<ObjectId[]> {
  const { history } = await openCode(api.forge, await makeRepository(api, alice, name));
  const tree = await editTree(history, undefined, new Map());
  const ids: ObjectId[] = [];
  for (const [at, message] of messages.entries()) {
    const who = { name: "A", email: "a@example.com", seconds: 1_700_000_000 + at, timezone: "+0000" };
    const sign = signature === undefined ? {} : { sign: () => signature };
    ids.push(
      await writeCommit(history, {
        ...{ tree, parents: ids.slice(-1), author: who, committer: who, message, ...sign },
      }),
    );
  }
  const [first, last] = [ids[0], ids.at(-1)] as [ObjectId, ObjectId];
  await pushRef(api, alice, name, {
    ...{ ref: "refs/heads/main", id: last, pack: await packOfNew(history, [last]) },
  });
  await pushRef(api, alice, name, { ref: "refs/heads/first", id: first });
  return ids;
}

const get = (path: string) => api.call("GET", `/repos/alice/${path}`, { as: alice });
const shas = (rows: { sha: string }[]) => rows.map(({ sha }) => sha);

describe("repoCompareDiff", () => {
  it("200: of commits with much text those that 4 MB hold, newest first, and the number of all", async () => {
    const ids = await pushCommits("long", Array(80).fill("x".repeat(65_000)));
    const { status, json } = await get("long/compare/first...main");
    expect([status, json.total_commits]).toEqual([200, 79]);
    expect(json.commits.length).toBeGreaterThan(40);
    expect(json.commits.length).toBeLessThan(70);
    expect(shas(json.commits)).toEqual(ids.toReversed().slice(0, json.commits.length));
  });
});

describe("repoGetAllCommits", () => {
  it("200: of commits with much text those that 4 MB hold, and where to go on (D-BIGBODY)", async () => {
    const ids = await pushCommits("pages", Array(50).fill("€".repeat(70_000)));
    const { json, headers } = await get("pages/commits?limit=50");
    expect(json.length).toBeLessThan(25);
    expect(shas(json)).toEqual(ids.toReversed().slice(0, json.length));
    const [, next = ""] = /^<[^>]*repos\/alice\/([^>]*)>; rel="next"$/.exec(headers.get("link") ?? "") ?? [];
    expect(shas((await get(next)).json)[0]).toBe(ids.toReversed()[json.length]);
  });
});

describe("repoListBranches", () => {
  it("200: signatures beyond 64 KB are left out, as such payloads are", async () => {
    await pushCommits("signed", ["one", "two"], "x\n".repeat(100_000));
    const { json } = await get("signed/branches");
    expect(json).toHaveLength(2);
    expect(json[0].commit.verification).toMatchObject({ verified: false, signature: "", payload: "" });
    const { json: commits } = await get("signed/commits");
    expect(commits[0].commit.verification).toMatchObject({ signature: "", payload: "" });
  });
});
