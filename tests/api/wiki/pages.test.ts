import { describe, expect, it } from "vitest";
import { alice, api, base64, bob, makeWiki, titles, useWikis } from "./pages-world.ts";

useWikis();

describe("repoCreateWikiPage", () => {
  it("201: the first page makes the wiki (semantics §65.3-1)", async () => {
    const wiki = await makeWiki();
    expect((await wiki.pages()).status).toBe(404);
    const { status, json } = await wiki.create("Home", "# Hello\n");
    expect(status).toBe(201);
    expect(json).toMatchObject({
      title: "Home",
      sub_url: "Home",
      html_url: `http://127.0.0.1:3000${wiki.base.replace("/repos", "")}/wiki/Home`,
      content_base64: base64("# Hello\n"),
      commit_count: 1,
      sidebar: "",
      footer: "",
      last_commit: { message: 'Add "Home"\n', author: { name: "alice" }, commiter: { name: "alice" } },
    });
    const pages = await wiki.pages();
    expect([titles(pages), pages.headers.get("x-total-count")]).toEqual([["Home"], "1"]);
    expect((await wiki.create("Home")).status).toBe(400);
  });

  it.each([
    ["a b", "a-b", "a-b"],
    ["a-b", "a-b.-", "a-b.-"],
    ["My page/1", "My-page%2F1", "My-page/1"],
    ["x.md", "x.md.-", "x.md.-"],
    ["a-b c", "a-b+c.-", "a-b+c.-"],
    ["100% ä?#&+", "100%25-%C3%A4%3F%23%26%2B", encodeURIComponent("100% ä?#&+")],
    ["..", "...-", "...-"],
  ])("201: the title %s has the name %s in addresses (semantics §65.1)", async (title, name, address) => {
    const wiki = await makeWiki();
    expect((await wiki.create(title)).json).toMatchObject({ title, sub_url: name });
    expect(titles(await wiki.pages())).toEqual([title]);
    for (const form of [name, address]) expect((await wiki.get(form)).json.title).toBe(title);
  });

  it("400: no title, a reserved one, one that is too long, what is no base64 (semantics §65.2)", async () => {
    const wiki = await makeWiki();
    for (const title of ["", "  ", "_pages", "_new", "_edit", "raw", "x".repeat(256), "ä".repeat(50)]) {
      expect([title, (await wiki.create(title)).status]).toEqual([title, 400]);
    }
    expect((await wiki.create("Home", "", { content_base64: "%%%" })).status).toBe(400);
    expect((await wiki.pages()).status).toBe(404);
  });

  it("401, 403, 404, 423: who may not, units that are off, archived repositories (semantics §65.3-5)", async () => {
    const wiki = await makeWiki();
    const anonymous = await api.call("POST", `${wiki.base}/wiki/new`, { body: { title: "x" } });
    expect(anonymous.status).toBe(401);
    expect((await wiki.create("x", "", {}, bob)).status).toBe(403);
    await api.call("PATCH", wiki.base, { as: alice, body: { has_wiki: false } });
    expect((await wiki.create("x")).status).toBe(404);
    await api.call("PATCH", wiki.base, { as: alice, body: { has_wiki: true } });
    expect((await wiki.create("x")).status).toBe(201);
    await api.call("PATCH", wiki.base, { as: alice, body: { archived: true } });
    expect((await wiki.create("y")).status).toBe(423);
    expect((await wiki.get("x")).status).toBe(200);
    const hidden = await makeWiki({ private: true });
    expect((await hidden.create("x", "", {}, bob)).status).toBe(404);
  });
});

describe("repoEditWikiPage", () => {
  it("200: rewrites a page, and renames it with another title (semantics §65.3-3)", async () => {
    const wiki = await makeWiki();
    await wiki.create("Old");
    const rewritten = await wiki.edit("Old", { content_base64: base64("new\n") });
    expect(rewritten.json).toMatchObject({
      ...{ title: "Old", commit_count: 2, content_base64: base64("new\n") },
      last_commit: { message: 'Update "Old"\n' },
    });
    const renamed = await wiki.edit("Old", {
      ...{ title: "New name", content_base64: base64("n\n"), message: " moved " },
    });
    expect(renamed.json).toMatchObject({ title: "New name", sub_url: "New-name" });
    expect(renamed.json.last_commit.message).toBe("moved\n");
    expect((await wiki.get("Old")).status).toBe(404);
    expect((await wiki.get("New-name")).status).toBe(200);
  });

  it("404: a page that is not there; 400: a name that is taken or reserved, what is no base64", async () => {
    const wiki = await makeWiki();
    expect((await wiki.edit("none", {})).status).toBe(404);
    await Promise.all([wiki.create("One"), wiki.create("Two")]);
    expect((await wiki.edit("none", {})).status).toBe(404);
    expect((await wiki.edit("One", { title: "Two" })).status).toBe(400);
    expect((await wiki.edit("One", { title: "_new" })).status).toBe(400);
    expect((await wiki.edit("One", { content_base64: "!" })).status).toBe(400);
    expect((await wiki.edit("One", {}, bob)).status).toBe(403);
  });
});

describe("repoDeleteWikiPage", () => {
  it("204, then 404", async () => {
    const wiki = await makeWiki();
    await Promise.all([wiki.create("Gone"), wiki.create("Stays")]);
    expect((await wiki.remove("Gone", bob)).status).toBe(403);
    expect((await wiki.remove("Gone")).status).toBe(204);
    expect((await wiki.remove("Gone")).status).toBe(404);
    expect((await wiki.get("Gone")).status).toBe(404);
    expect((await wiki.revisions("Stays")).json.count).toBe(1);
  });
});

describe("repoGetWikiPages", () => {
  it("200: in pages, in the order of the tree; 404 before the first", async () => {
    const wiki = await makeWiki();
    expect((await wiki.pages()).status).toBe(404);
    for (const title of ["C", "A", "B"]) await wiki.create(title);
    const second = await wiki.pages("?page=2&limit=2");
    expect([titles(second), second.headers.get("x-total-count")]).toEqual([["C"], "3"]);
  });
});

describe("repoGetWikiPage", () => {
  it("200: _Sidebar and _Footer go with every page (semantics §65.3-6)", async () => {
    const wiki = await makeWiki();
    for (const title of ["Home", "_Sidebar", "_Footer"]) await wiki.create(title, `${title}\n`);
    expect((await wiki.get("Home")).json).toMatchObject({
      sidebar: base64("_Sidebar\n"),
      footer: base64("_Footer\n"),
    });
    expect((await wiki.get("none")).status).toBe(404);
  });
});

describe("repoGetWikiPageRevisions", () => {
  it("200: newest first, 50 on a page (semantics §65.2)", async () => {
    const wiki = await makeWiki();
    await wiki.create("Home");
    for (const text of ["1", "2"]) await wiki.edit("Home", { content_base64: base64(text), message: text });
    const { json, headers } = await wiki.revisions("Home");
    expect(json.count).toBe(3);
    expect(json.commits.map((one: { message: string }) => one.message)).toEqual([
      "2\n",
      "1\n",
      'Add "Home"\n',
    ]);
    expect(headers.get("x-total-count")).toBe("3");
    expect((await wiki.revisions("Home", "?page=2")).json).toEqual({ commits: [], count: 3 });
    expect((await wiki.revisions("none")).status).toBe(404);
  });
});
