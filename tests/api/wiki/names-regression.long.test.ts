import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";

let api: TestApi;
let served: ServedGit;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
});
afterAll(async () => {
  await served.stop();
  await api.stop();
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const call = (method: string, name: string, path: string, body?: object) =>
  api.call(method, `/repos/alice/${name}/wiki/${path}`, { as: alice, ...defined({ body }) });
const create = (name: string, title: string) =>
  call("POST", name, "new", { title, content_base64: base64(title) });
const titlesOf = async (name: string) =>
  (await call("GET", name, "pages?limit=50")).json.map(({ title }: { title: string }) => title).sort();

/** Each is paired with titles that it was mistaken for. */
const oddTitles = [
  "a b",
  "a%20b",
  "a%2520b",
  "a+b",
  "a-b",
  "a-b c",
  "a-b+c",
  "a/b",
  "a%2Fb",
  ".hidden",
  ".",
  "..",
];

describe("pages of wikis with odd titles (semantics §65.1)", () => {
  it("200, 204: are read, rewritten, listed and deleted by their own names alone", async () => {
    await makeRepository(api, alice, "odd");
    const names = new Map<string, string>();
    for (const title of oddTitles) {
      const { status, json } = await create("odd", title);
      expect([title, status, json.title]).toEqual([title, 201, title]);
      names.set(title, json.sub_url);
    }
    expect(await titlesOf("odd")).toEqual([...oddTitles].sort());
    for (const [title, name] of names) {
      // Like addresses of clients, which resolve dots, and leave escapes alone.
      const { pathname } = new URL(`http://127.0.0.1/page/${name}`);
      const page = await call("GET", "odd", pathname.slice(1));
      expect([title, page.json.title, page.json.content_base64]).toEqual([title, title, base64(title)]);
      const revisions = await call("GET", "odd", `revisions/${name}`);
      expect([title, revisions.json.count]).toEqual([title, 1]);
      const edited = await call("PATCH", "odd", `page/${name}`, { content_base64: base64("again") });
      expect([title, edited.json.title, edited.json.commit_count]).toEqual([title, title, 2]);
    }
    for (const [title, name] of names) {
      expect([title, (await call("DELETE", "odd", `page/${name}`)).status]).toEqual([title, 204]);
      expect([title, (await call("GET", "odd", `page/${name}`)).status]).toEqual([title, 404]);
    }
  });

  it("307: a renamed repository leads to the page of the same name", async () => {
    await makeRepository(api, alice, "former");
    const { json } = await create("former", "a%20b/c");
    await api.call("PATCH", "/repos/alice/former", { as: alice, body: { name: "current" } });
    const moved = await call("GET", "former", `page/${json.sub_url}`);
    expect(moved.status).toBe(307);
    expect(moved.headers.get("location")).toMatch(`/repos/alice/current/wiki/page/${json.sub_url}`);
  });

  it("200: files that git brought are found by their titles, also under a spelling of their own", async () => {
    await makeRepository(api, alice, "brought");
    const folder = await temporaryFolder();
    await git(folder, ["init", "-q", "-b", "main", "."]);
    for (const file of ["From git", "From-git", "100% sure", "a-b+c"]) {
      await writeFile(join(folder, `${file}.md`), file);
    }
    await push(folder, "brought");
    for (const [name, file] of [
      ["From-git", "From-git"],
      ["From%20git", "From git"],
      ["100%25-sure", "100% sure"],
      ["100%25%20sure", "100% sure"],
      ["a-b+c", "a-b+c"],
    ]) {
      const { json } = await call("GET", "brought", `page/${name}`);
      expect([name, json.content_base64]).toEqual([name, base64(file ?? "")]);
    }
  });
});

async function push(folder: string, name: string): Promise<void> {
  await git(folder, ["add", "."]);
  await git(folder, ["commit", "-q", "-m", "push"]);
  await git(folder, ["push", "-q", served.url(`alice/${name}.wiki`, alice), "main"]);
}

describe("a page where something else lies (semantics §65.2)", () => {
  it("400: neither a new page nor a renamed one replaces a folder or a symbolic link", async () => {
    await makeRepository(api, alice, "taken");
    const folder = await temporaryFolder();
    await git(folder, ["init", "-q", "-b", "main", "."]);
    await mkdir(join(folder, "Folder.md"));
    await writeFile(join(folder, "Folder.md", "inside.txt"), "kept\n");
    await symlink("Home.md", join(folder, "Link.md"));
    await writeFile(join(folder, "Home.md"), "home\n");
    await push(folder, "taken");
    for (const title of ["Folder", "Link"]) {
      expect([title, (await create("taken", title)).status]).toEqual([title, 400]);
      expect([title, (await call("PATCH", "taken", "page/Home", { title })).status]).toEqual([title, 400]);
      expect([title, (await call("DELETE", "taken", `page/${title}`)).status]).toEqual([title, 404]);
    }
    await git(folder, ["pull", "-q", served.url("alice/taken.wiki"), "main"]);
    expect((await gitText(folder, ["ls-files"])).split("\n")).toEqual([
      "Folder.md/inside.txt",
      "Home.md",
      "Link.md",
    ]);
  });
});
