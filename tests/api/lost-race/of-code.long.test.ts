import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { beginMigration, migrationSettings } from "#tests/api/mirror/migration-world";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { workOnMirrors } from "#tests/support/mirror-work";
import { askRegistry } from "../../packages/registry.ts";
import { sendFile } from "../attachment/make.ts";
import { maker } from "../repository/furnish.ts";
import { expectLost } from "./lose-races.ts";

/** Others are always faster: no write that asks for the state that was read is taken. */
let api: TestApi;
let alice: Caller;
let make: ReturnType<typeof maker>;
let first: string;
let second: string;

const place = { owner: "alice", repo: "r" };
const path = "/repos/alice/r";

beforeAll(async () => {
  api = await makeApi({ simulation: false, settings: migrationSettings });
  alice = await api.makeUser({ name: "alice" });
  make = maker(api, alice);
  await makeRepository(api, alice, "r");
  first = await pushFiles(api, alice, "r", { files: { "a.txt": "one\n" } });
  second = await pushFiles(api, alice, "r", { files: { "a.txt": "two\n" } });
  await pushFiles(api, alice, "r", { files: { "b.txt": "b\n" }, branch: "topic", from: "main" });
  await make("POST", `${path}/issues`, { title: "An issue" });
});
afterAll(() => api.stop());

describe("a branch", () => {
  it("409: repoUpdateBranchReference, repoUpdateBranchProtectionPriories", async () => {
    const body = { new_commit_id: first, force: true };
    await expectLost(api, alice, {
      ...{ id: "repoUpdateBranchReference", place: { ...place, branch: "main" }, body },
    });
    const rules = [];
    for (const rule_name of ["v1", "v2"])
      rules.push(await make("POST", `${path}/branch_protections`, { rule_name }));
    const ids = rules.map(({ id }) => id).reverse();
    await expectLost(api, alice, { id: "repoUpdateBranchProtectionPriories", place, body: { ids } });
  });

  it("409: repoDeleteFile, repoApplyDiffPatch, repoRemoveNote", async () => {
    const { sha } = await make("GET", `${path}/contents/a.txt`);
    await expectLost(api, alice, {
      ...{ id: "repoDeleteFile", place: { ...place, filepath: "a.txt" }, body: { sha } },
    });
    const content = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+2\n";
    await expectLost(api, alice, { id: "repoApplyDiffPatch", place, body: { content } });
    await make("POST", `${path}/git/notes/${second}`, { message: "words" });
    await expectLost(api, alice, { id: "repoRemoveNote", place: { ...place, sha: second } });
  });

  it("409: repoSyncForkDefault, repoSyncForkBranch", async () => {
    const bob = await api.makeUser({ name: "bob" });
    await make("POST", `${path}/forks`, {}, bob);
    await pushFiles(api, alice, "r", { files: { "c.txt": "c\n" } });
    const fork = { owner: "bob", repo: "r", branch: "main" };
    for (const id of ["repoSyncForkDefault", "repoSyncForkBranch"]) {
      await expectLost(api, bob, { id, place: fork });
    }
  });

  it("409: repoCancelScheduledAutoMerge", async () => {
    const { number: index, head } = await make("POST", `${path}/pulls`, {
      ...{ title: "T", head: "topic", base: "main" },
    });
    await make("POST", `${path}/statuses/${head.sha}`, { state: "pending", context: "ci" });
    await make("POST", `${path}/pulls/${index}/merge`, { Do: "merge", merge_when_checks_succeed: true });
    await expectLost(api, alice, { id: "repoCancelScheduledAutoMerge", place: { ...place, index } });
  });
});

describe("a history from elsewhere", () => {
  it("409: repoOpenImport, repoAbandonImport", async () => {
    const body = { size: 100 };
    await expectLost(api, alice, { id: "repoOpenImport", place, body });
    await make("POST", `${path}/import`, body);
    await expectLost(api, alice, { id: "repoAbandonImport", place });
  });

  it("409: repoConvert, and repoRetryMigration where nothing failed", async () => {
    const mirror = await beginMigration(api, alice, { mirror: true });
    await workOnMirrors(api);
    const [owner = "", repo = ""] = mirror.name.split("/");
    await expectLost(api, alice, { id: "repoConvert", place: { owner, repo } });
    const { status, json } = await api.call("POST", `${mirror.path}/migration`, { as: alice });
    expect([status, json.message]).toEqual([409, expect.stringContaining("nothing failed")]);
  });
});

describe("a file beside the code", () => {
  const form = () => {
    const made = new FormData();
    made.set("attachment", new File(["hello"], "notes.txt", { type: "text/plain" }));
    return made;
  };

  it("409: repoCreateReleaseAttachment, repoDeleteReleaseAttachment", async () => {
    const { id } = await make("POST", `${path}/releases`, { tag_name: "v1" });
    await expectLost(api, alice, {
      ...{ id: "repoCreateReleaseAttachment", place: { ...place, id }, form: form() },
    });
    const { json } = await sendFile(api, `${path}/releases/${id}/assets`, alice);
    await expectLost(api, alice, {
      ...{ id: "repoDeleteReleaseAttachment", place: { ...place, id, attachment_id: json.id } },
    });
  });

  it("409: issueCreateIssueAttachment, issueCreateIssueCommentAttachment", async () => {
    const { id } = await make("POST", `${path}/issues/1/comments`, { body: "words" });
    const files = { place: { ...place, index: 1, id }, form: form() };
    await expectLost(api, alice, { id: "issueCreateIssueAttachment", ...files });
    await expectLost(api, alice, { id: "issueCreateIssueCommentAttachment", ...files });
  });
});

describe("a package", () => {
  it("409: deleteWholePackage, deletePackage, linkPackage, unlinkPackage", async () => {
    const ask = askRegistry(api);
    expect((await ask("PUT", "/alice/generic/tool/1.0/a", { as: alice, body: "abc" })).status).toBe(201);
    const tool = { owner: "alice", type: "generic", name: "tool", version: "1.0", repo_name: "r" };
    for (const id of ["deleteWholePackage", "deletePackage", "linkPackage"]) {
      await expectLost(api, alice, { id, place: tool });
    }
    await make("POST", "/packages/alice/generic/tool/-/link/r");
    await expectLost(api, alice, { id: "unlinkPackage", place: tool });
  });
});
