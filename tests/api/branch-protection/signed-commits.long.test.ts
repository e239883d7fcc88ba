import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCode } from "#core/code/open";
import { packOfNew } from "#core/git/merge/new-objects";
import { writeCommit } from "#core/git/merge/write-commit";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

describe("require_signed_commits", () => {
  it("looks into 5,000 commits at once, and refuses more of them in words", async () => {
    const repositoryId = await makeRepository(api, alice, "r");
    const first = await pushFiles(api, alice, "r", { files: { f: "1" } });
    const rule = { rule_name: "main", enable_push: true, require_signed_commits: true };
    await api.call("POST", "/repos/alice/r/branch_protections", { as: alice, body: rule });
    const { history } = await openCode(api.forge, repositoryId);
    const tree = history.add("tree", Buffer.alloc(0));
    let id = first;
    for (let at = 0; at <= 5_000; at += 1) {
      const who = { name: "B", email: "b@example.com", seconds: 1_700_000_001 + at, timezone: "+0000" };
      id = await writeCommit(history, { tree, parents: [id], author: who, committer: who, message: "m\n" });
    }
    await pushRef(api, alice, "r", { ref: "refs/heads/much", id, pack: await packOfNew(history, [id]) });
    const moved = pushRef(api, alice, "r", { ref: "refs/heads/main", id, old: first });
    await expect(moved).rejects.toThrow("too much is changed at once");
  });
});
