import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { showPulls } from "#core/pull/details";
import { getPull } from "#core/pull/pull";
import { judgementKey } from "#core/pull/pull.table";
import { remove } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { measured } from "#tests/support/measured";
import { Folders, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../repository/serve-git.ts";
import { makeBase, openPull } from "./make.ts";

/** Requests in repositories of many files, with many files, and with a large one. */
let api: TestApi;
let served: ServedGit;
let alice: Caller;
const folders = new Folders();

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await api.stop();
});

const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { as: alice, ...(body && { body }) });

/** A working copy, whose first commit is the whole of `main`, on a branch of its own. */
async function begin(name: string, files: Record<string, string>) {
  const repository = await makeBase(api, alice, name, { auto_init: false });
  const copy = await WorkingCopy.init(folders);
  await copy.git("config", "pack.window", "0"); // git would look in vain for deltas among noise
  await copy.commit(files);
  await copy.git("remote", "add", "origin", served.url(`alice/${name}`, alice));
  await copy.git("push", "-q", "origin", "HEAD:main");
  return { repository, copy };
}

const many = (count: number, content: (at: number) => string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_file, at) => [`folder-${at % 100}/file-${at}.txt`, content(at)]),
  );

describe("the mergeability of a request that touches 10 of 10,000 files", () => {
  it("reads the blocks of 1 MiB in which they lie of a pack of 27 MB, in a new process, and nothing after that", async () => {
    const line = () => `${randomBytes(2_500).toString("hex")}\n`;
    const { repository, copy } = await begin("wide", many(10_000, line));
    await copy.commit(
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`folder-${at}/file-${at}.txt`, "new\n"])),
    );
    await copy.git("push", "-q", "origin", "HEAD:topic");
    await copy.git("reset", "-q", "--hard", "HEAD~1");
    await copy.commit({ "folder-50/file-50.txt": "other\n" });
    await copy.git("push", "-q", "origin", "HEAD:main");
    await openPull(api, repository, { as: alice });
    const { id } = (await call("GET", repository)).json;
    const forge = { ...api.forge, config: { ...api.forge.config } }; // nothing is remembered under it
    const access = await findAccessById(forge, { user: alice.user }, id);
    if (access === undefined) throw new Error("no access");
    const pull = await getPull(forge, access, 1);
    await forge.table.write(remove(judgementKey(id, 1)));
    processPackCaches.clear();
    const { result, usage } = await measured(() => showPulls(forge, { user: alice.user }, access, [pull]));
    expect(result.pulls).toMatchObject([{ judgement: { state: "mergeable", files: 10 } }]);
    const read = `${usage.blobReads} reads of ${usage.blobBytesRead} bytes`;
    const isWithin = usage.blobReads <= 24 && usage.blobBytesRead < 16 * 2 ** 20;
    expect([read, isWithin]).toEqual([read, true]);
    await forge.table.write(remove(judgementKey(id, 1)));
    const warm = await measured(() => showPulls(forge, { user: alice.user }, access, [pull]));
    expect(warm.usage.blobReads).toBe(0);
  });
});

describe("a request with many changed files, or a large one", () => {
  it("3,000 files are listed in pages; of more 413 says what to do (repoGetPullRequestFiles, repoDownloadPullDiffOrPatch), and the request is shown and merged", async () => {
    const { repository, copy } = await begin("many", { "README.md": "many\n" });
    await copy.commit(many(3_000, (at) => `${at}\n`));
    await copy.git("push", "-q", "origin", "HEAD:topic");
    await openPull(api, repository, { as: alice });
    const list = (query: string) => call("GET", `${repository}/pulls/1/files?${query}`);
    const last = await list("limit=50&page=60");
    expect([last.status, last.json.length, last.headers.get("x-total-count")]).toEqual([200, 50, "3000"]);
    await copy.commit({ "one-more.txt": "1\n" });
    await copy.git("push", "-q", "origin", "HEAD:topic");
    for (const part of ["/files", ".diff"]) {
      const { status, text } = await call("GET", `${repository}/pulls/1${part}`);
      expect([part, status, text]).toEqual([
        part,
        413,
        expect.stringContaining("fetch the commits with git"),
      ]);
    }
    expect((await call("GET", `${repository}/pulls/1/commits`)).json).toHaveLength(2);
    expect((await call("GET", `${repository}/pulls/1`)).json).toMatchObject({
      ...{ mergeable: true, changed_files: 3_000 },
    });
    expect((await call("POST", `${repository}/pulls/1/merge`, { Do: "squash" })).status).toBe(200);
  });

  it("100 MB of one file are neither compared nor shown: it counts as binary, and is merged", async () => {
    const { repository, copy } = await begin("heavy", { "README.md": "heavy\n" });
    await copy.commit({ "large.txt": "a line of a large file\n".repeat(4_500_000), "small.txt": "small\n" });
    await copy.git("push", "-q", "origin", "HEAD:topic");
    const opened = await openPull(api, repository, { as: alice });
    expect(opened).toMatchObject({ mergeable: true, changed_files: 2, additions: 1, deletions: 0 });
    const files = await call("GET", `${repository}/pulls/1/files`);
    expect(files.json).toMatchObject([
      { filename: "large.txt", status: "added", additions: 0 },
      { filename: "small.txt", status: "added", additions: 1 },
    ]);
    const { status, text } = await call("GET", `${repository}/pulls/1.diff`);
    expect([status, text.length]).toEqual([200, expect.toSatisfy((length: number) => length < 1_000)]);
    expect(text).toContain("Binary files /dev/null and b/large.txt differ\n");
    expect((await call("POST", `${repository}/pulls/1/merge`, { Do: "merge" })).status).toBe(200);
  });
});
