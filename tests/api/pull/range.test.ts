import { chmod, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders, git, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../repository/serve-git.ts";
import { commitOn, makeBase, openPull } from "./make.ts";

let api: TestApi;
let served: ServedGit;
let alice: Caller;
const folders = new Folders();

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await api.stop();
});

const get = (path: string, as = alice) => api.call("GET", path, { as });

/** A repository with these files on `main`, and a working copy of it on a new branch `topic`. */
async function begin(name: string, files: Readonly<Record<string, string>>) {
  const repository = await makeBase(api, alice, name);
  const folder = await folders.make();
  await git(folder, ["clone", "-q", served.url(`alice/${name}`, alice), "copy"]);
  const copy = new WorkingCopy(`${folder}/copy`);
  await copy.commit(files);
  await copy.git("push", "-q", "origin", "HEAD:main");
  await copy.git("checkout", "-q", "-b", "topic");
  return { repository, copy };
}

/** Commits what lies in the working tree. */
async function commitTree(copy: WorkingCopy): Promise<string> {
  await copy.git("add", "-A");
  await copy.git("commit", "-q", "-m", "change");
  return copy.git("rev-parse", "HEAD");
}

const rowsOf = (json: { filename: string; status: string }[]) =>
  json.map(({ filename, status }) => `${status} ${filename}`);

const pagesOf = (headers: Headers) =>
  ["x-total-count", "x-page", "x-perpage", "x-pagecount", "x-hasmore"].map((name) => headers.get(name));

describe("repoGetPullRequestCommits (B-15, semantics §15)", () => {
  it("200: newest first with files and lines, renames as two, pages; the same after the merge without the branch", async () => {
    const { repository, copy } = await begin("commits", { "a.txt": "1\n2\n3\n" });
    await copy.commit({ "README.md": "other\n", "new.txt": "new\n" });
    await copy.git("mv", "a.txt", "b.txt");
    const second = await commitTree(copy);
    await copy.git("push", "-q", "origin", "topic");
    await openPull(api, repository, { as: alice });
    const { json, headers } = await get(`${repository}/pulls/1/commits`);
    expect(json.map((one: { files: { filename: string; status: string }[] }) => rowsOf(one.files))).toEqual([
      ["removed a.txt", "added b.txt"],
      ["modified README.md", "added new.txt"],
    ]);
    expect(json[0].sha).toBe(second);
    expect(json[1].stats).toEqual({ total: 4, additions: 2, deletions: 2 });
    expect(pagesOf(headers)).toEqual(["2", "1", "30", "1", "false"]);
    const bare = await get(`${repository}/pulls/1/commits?files=false&limit=1`);
    expect(bare.json).toMatchObject([{ sha: second, files: null, stats: { total: 6 } }]);
    expect(pagesOf(bare.headers)).toEqual(["2", "1", "1", "2", "true"]);
    expect([bare.headers.get("x-total"), bare.headers.get("link")]).toEqual([
      null,
      expect.stringContaining('rel="next"'),
    ]);
    const body = { Do: "squash", delete_branch_after_merge: true };
    expect((await api.call("POST", `${repository}/pulls/1/merge`, { as: alice, body })).status).toBe(200);
    expect((await get(`${repository}/branches/topic`)).status).toBe(404);
    expect((await get(`${repository}/pulls/1/commits`)).json).toEqual(json);
  });

  it("200: none for a request that brings none; such a request can be merged (semantics §21)", async () => {
    const repository = await makeBase(api, alice, "empty");
    const body = { new_branch_name: "topic" };
    await api.call("POST", `${repository}/branches`, { as: alice, body });
    expect(await openPull(api, repository, { as: alice })).toMatchObject({
      mergeable: true,
      changed_files: 0,
    });
    for (const part of ["commits", "files"]) {
      expect(await get(`${repository}/pulls/1/${part}`)).toMatchObject({ status: 200, json: [] });
    }
    expect((await get(`${repository}/pulls/1.diff`)).text).toBe("");
  });
});

describe("repoGetPullRequestFiles (semantics §45)", () => {
  it("200: renamed with its former name, unchanged for another mode, added, deleted, changed; skip-to", async () => {
    const lines = Array.from({ length: 20 }, (_line, at) => `line ${at}\n`).join("");
    const { repository, copy } = await begin("files", { "c.txt": "c\n", "d.sh": "d\n", "from.txt": lines });
    await copy.git("mv", "from.txt", "to.txt");
    await writeFile(`${copy.folder}/to.txt`, `${lines}one more\n`);
    await chmod(`${copy.folder}/d.sh`, 0o755);
    await copy.git("rm", "-q", "c.txt");
    for (const name of ["README.md", "add ed.txt"]) await writeFile(`${copy.folder}/${name}`, "a\n");
    const sha = await commitTree(copy);
    await copy.git("push", "-q", "origin", "topic");
    await openPull(api, repository, { as: alice });
    const { json } = await get(`${repository}/pulls/1/files`);
    expect(rowsOf(json)).toEqual([
      ...["changed README.md", "added add ed.txt", "deleted c.txt", "unchanged d.sh", "renamed to.txt"],
    ]);
    expect(json[4]).toMatchObject({ previous_filename: "from.txt", additions: 1, deletions: 0, changes: 1 });
    expect(json[0].previous_filename).toBeUndefined();
    expect(json[1].contents_url).toContain(`/repos/alice/files/contents/add%20ed.txt?ref=${sha}`);
    const content = await get(json[1].contents_url.split("/api/v1")[1]);
    expect(content.json.content).toBe(Buffer.from("a\n").toString("base64"));
    const rest = await get(`${repository}/pulls/1/files?skip-to=c.txt&limit=1`);
    expect([rowsOf(rest.json), pagesOf(rest.headers)]).toEqual([
      ["unchanged d.sh"],
      ["2", "1", "1", "2", "true"],
    ]);
  });

  it("200: whitespace says which is not counted; 422 for another word", async () => {
    const { repository, copy } = await begin("spaces", { "a.txt": "one two\nthree\nfour\nfive\n" });
    await copy.commit({ "a.txt": "one  two\nthree  \n four\nsix\n" });
    await copy.git("push", "-q", "origin", "topic");
    await openPull(api, repository, { as: alice });
    const changes = async (whitespace: string) => {
      const { status, json } = await get(`${repository}/pulls/1/files?whitespace=${whitespace}`);
      return status === 200 ? json[0].changes : status;
    };
    expect(await changes("")).toBe(8);
    expect(await changes("show-all")).toBe(8);
    expect(await changes("ignore-eol")).toBe(6);
    expect(await changes("ignore-change")).toBe(4);
    expect(await changes("ignore-all")).toBe(2);
    expect(await changes("none")).toBe(422);
  });

  it("200: the addresses lead to the head's repository for who may see it, else to the base's", async () => {
    const repository = await makeBase(api, alice, "placed");
    const [bob, carol] = [await api.makeUser({ name: "bob" }), await api.makeUser({ name: "carol" })];
    await api.call("POST", `${repository}/forks`, { as: bob, body: { name: "own" } });
    await commitOn(api, "/repos/bob/own", "topic", "a.txt", { as: bob });
    await openPull(api, repository, { as: bob, head: "bob:topic" });
    const placeFor = async (as: Caller) => {
      const [file] = (await get(`${repository}/pulls/1/files`, as)).json;
      expect((await get(file.contents_url.split("/api/v1")[1], as)).status).toBe(200);
      const places = [file.html_url, file.raw_url, file.contents_url].map(
        (url) => /(bob\/own|alice\/placed)\/(src|raw|contents)/.exec(url)?.[1],
      );
      return [...new Set(places)].join(" ");
    };
    expect([await placeFor(bob), await placeFor(carol)]).toEqual(["bob/own", "bob/own"]);
    const root = await api.makeUser({ name: "root", isAdmin: true });
    const hidden = { visibility: "private", source_id: 0, login_name: "bob" };
    await api.call("PATCH", "/admin/users/bob", { as: root, body: hidden });
    expect([await placeFor(bob), await placeFor(carol)]).toEqual(["bob/own", "alice/placed"]);
    await api.call("DELETE", "/repos/bob/own/branches/topic", { as: bob });
    expect([await placeFor(bob), await placeFor(carol)]).toEqual(["alice/placed", "alice/placed"]);
  });

  it("200: pages of 60 files", async () => {
    const { repository, copy } = await begin("sixty", { "a.txt": "a\n" });
    await copy.commit(
      Object.fromEntries(Array.from({ length: 60 }, (_file, at) => [`f${at + 10}.txt`, `${at}\n`])),
    );
    await copy.git("push", "-q", "origin", "topic");
    await openPull(api, repository, { as: alice });
    const { json, headers } = await get(`${repository}/pulls/1/files?limit=50&page=2`);
    expect([json.length, json[0].filename, pagesOf(headers)]).toEqual([
      ...[10, "f60.txt", ["60", "2", "50", "2", "false"]],
    ]);
  });
});

describe("repoDownloadPullDiffOrPatch (semantics §45)", () => {
  it("200: one diff of all, one mail for each commit; git applies both, binary files too", async () => {
    const { repository, copy } = await begin("texts", { "a.txt": "a\n" });
    await copy.commit({ "a.txt": "b\n" });
    const bytes = Buffer.from(Array.from({ length: 300 }, (_byte, at) => at % 256));
    await writeFile(`${copy.folder}/b.bin`, bytes);
    const head = await commitTree(copy);
    await copy.git("push", "-q", "origin", "topic");
    await openPull(api, repository, { as: alice });
    const short = (await get(`${repository}/pulls/1.diff`)).text;
    expect(short).toContain("Binary files /dev/null and b/b.bin differ\n");
    const { text, headers } = await get(`${repository}/pulls/1.diff?binary=true`);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    const mails = (await get(`${repository}/pulls/1.patch`)).text;
    expect(mails.match(/^From [0-9a-f]{40} /gm)).toHaveLength(2);
    const treeAfter = async (command: readonly string[], input: string) => {
      await copy.git("reset", "-q", "--hard", "origin/main");
      await git(copy.folder, command, { input });
      return copy.git("write-tree");
    };
    const tree = await copy.git("rev-parse", `${head}^{tree}`);
    expect(await treeAfter(["apply", "--index"], text)).toBe(tree);
    expect(await treeAfter(["am", "-q"], mails)).toBe(tree);
  });
});
