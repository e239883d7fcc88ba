import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTable } from "#core/lifecycle/check/check";
import type { Repository } from "#core/repository/repository.table";
import { repositoryKey } from "#core/repository/repository.table";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { finishJobs } from "#tests/support/jobs";

let api: TestApi;
let served: ServedGit;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  await api.makeUser({ name: "root", isAdmin: true });
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
});
afterAll(async () => {
  await served.stop();
  await api.stop();
});

const create = (name: string, title: string) =>
  api.call("POST", `/repos/alice/${name}/wiki/new`, { as: alice, body: { title, content_base64: "aGkK" } });
const stored = async (id: number) => (await api.forge.table.get<Repository>(repositoryKey(id))) as Repository;

/** A folder with a commit of one page. */
async function pageIn(file: string, branch = "main"): Promise<string> {
  const folder = await temporaryFolder();
  await git(folder, ["init", "-q", "-b", branch, "."]);
  await writeFile(join(folder, file), "# pushed\n");
  await git(folder, ["add", "."]);
  await git(folder, ["commit", "-q", "-m", "push"]);
  return folder;
}

describe("a wiki over git (D-WIKI)", () => {
  it("is cloned with the pages of the API, and takes pages by a push (semantics §65.3-4)", async () => {
    await makeRepository(api, alice, "tale");
    await create("tale", "Home");
    const folder = await temporaryFolder();
    await git(folder, ["clone", "-q", served.url("alice/tale.wiki"), "."]);
    expect(await gitText(folder, ["ls-files"])).toBe("Home.md");
    await writeFile(join(folder, "From git.md"), "pushed\n");
    await writeFile(join(folder, "picture.png"), "no page\n");
    await git(folder, ["add", "."]);
    await git(folder, ["commit", "-q", "-m", "push"]);
    await git(folder, ["push", "-q", served.url("alice/tale.wiki", alice), "main"]);
    const pages = await api.call("GET", "/repos/alice/tale/wiki/pages");
    expect(pages.json.map(({ title }: { title: string }) => title)).toEqual(["From git", "Home"]);
    expect((await api.call("GET", "/repos/alice/tale/wiki/page/From-git")).status).toBe(200);
  });

  it("begins with a push, whatever its branch is called", async () => {
    const id = await makeRepository(api, alice, "begun");
    const folder = await pageIn("Home.md", "trunk");
    await git(folder, ["push", "-q", served.url("alice/begun.wiki", alice), "trunk"]);
    expect((await api.call("GET", "/repos/alice/begun")).json.wiki_branch).toBe("trunk");
    expect((await api.call("GET", "/repos/alice/begun/wiki/page/Home")).json.commit_count).toBe(1);
    expect((await stored(id)).wikiBranch).toBe("trunk");
    expect((await api.call("GET", "/repos/alice/begun")).json).toMatchObject({ empty: true, size: 0 });
  });

  it("refuses who may not write it, archived repositories, and units that are off", async () => {
    await makeRepository(api, alice, "guarded");
    const folder = await pageIn("Home.md");
    const push = (as?: Caller) => git(folder, ["push", "-q", served.url("alice/guarded.wiki", as), "main"]);
    await expect(push()).rejects.toThrow(/could not read Username|Authentication failed|log in/);
    await expect(push(bob)).rejects.toThrow(/403/);
    await push(alice);
    await api.call("PATCH", "/repos/alice/guarded", { as: alice, body: { archived: true } });
    await git(folder, ["commit", "-q", "--allow-empty", "-m", "more"]);
    await expect(push(alice)).rejects.toThrow(/403/);
    await api.call("PATCH", "/repos/alice/guarded", {
      as: alice,
      body: { archived: false, has_wiki: false },
    });
    await expect(push(alice)).rejects.toThrow(/not found|404/);
  });

  it("has nothing to fetch before its first page, and hides with its repository", async () => {
    await makeRepository(api, alice, "bare");
    await makeRepository(api, alice, "hidden", { private: true });
    await create("hidden", "Home");
    const folder = await temporaryFolder();
    const list = (name: string, as?: Caller) =>
      git(folder, ["ls-remote", served.url(`alice/${name}.wiki`, as)]);
    await expect(list("bare", alice)).rejects.toThrow(/not found|no page/);
    await expect(list("hidden", bob)).rejects.toThrow(/not found/);
    expect((await list("hidden", alice)).toString()).toContain("refs/heads/main");
  });
});

describe("a wiki's life with its repository", () => {
  it("wiki_branch renames the branch; a taken or malformed name is 422 (semantics §65.2)", async () => {
    await makeRepository(api, alice, "branchy");
    const edit = (wiki_branch: string) =>
      api.call("PATCH", "/repos/alice/branchy", { as: alice, body: { wiki_branch } });
    expect((await edit("early")).json.wiki_branch).toBe("early");
    await create("branchy", "Home");
    expect((await edit("pages")).json.wiki_branch).toBe("pages");
    expect((await edit("a..b")).status).toBe(422);
    const folder = await temporaryFolder();
    await git(folder, ["clone", "-q", served.url("alice/branchy.wiki"), "."]);
    expect(await gitText(folder, ["branch", "-a"])).toMatch(/^\* pages\n.*origin\/HEAD -> origin\/pages/);
    await git(folder, ["push", "-q", served.url("alice/branchy.wiki", alice), "pages:other"]);
    expect((await edit("other")).status).toBe(422);
    await create("branchy", "Second");
    expect((await api.call("GET", "/repos/alice/branchy/wiki/pages")).json).toHaveLength(2);
  });

  it("moves with a rename and a transfer, and former names lead to it", async () => {
    await makeRepository(api, alice, "mover");
    await create("mover", "Home");
    await api.call("PATCH", "/repos/alice/mover", { as: alice, body: { name: "moved" } });
    const folder = await temporaryFolder();
    const list = (path: string) => git(folder, ["ls-remote", served.url(`${path}.wiki`)]);
    const before = await list("alice/moved");
    expect(await list("alice/mover")).toEqual(before);
    expect((await api.call("GET", "/repos/alice/mover/wiki/pages")).status).toBe(307);
    await api.call("POST", "/repos/alice/moved/transfer", { as: alice, body: { new_owner: "bob" } });
    await api.call("POST", "/repos/alice/moved/transfer/accept", { as: bob });
    expect(await list("bob/moved")).toEqual(before);
    expect((await api.call("GET", "/repos/bob/moved/wiki/page/Home")).status).toBe(200);
  });

  it("is not forked, and goes with the repository: nothing of it stays", async () => {
    const id = await makeRepository(api, alice, "source");
    await create("source", "Home");
    const fork = await api.call("POST", "/repos/alice/source/forks", { as: bob, body: {} });
    expect(fork.json.has_wiki).toBe(false);
    const { wikiId = 0 } = await stored(id);
    const findings = [];
    for await (const one of checkTable(api.forge)) findings.push(one);
    expect(findings).toEqual([]);
    await api.call("DELETE", "/repos/alice/source", { as: alice });
    expect((await api.call("GET", "/repos/alice/source/wiki/pages")).status).toBe(404);
    await finishJobs(api);
    expect(await api.forge.table.queryAll({ pk: `R#${wikiId}#G` })).toEqual([]);
    const left = [];
    for await (const { key } of api.forge.blobs.list(`r/${wikiId}/`)) left.push(key);
    expect(left).toEqual([]);
  });

  it("a page that is written while the repository is deleted is refused (404)", async () => {
    const id = await makeRepository(api, alice, "vanishing");
    await create("vanishing", "Home");
    const repository = await stored(id);
    await api.call("DELETE", "/repos/alice/vanishing", { as: alice });
    const { createWikiPage } = await import("#core/wiki/change");
    const page = { title: "Late", content: Buffer.alloc(0), message: "" };
    const late = createWikiPage(api.forge, repository, { user: alice.user }, page);
    await expect(late).rejects.toMatchObject({ message: expect.stringContaining("gone") });
  });
});
