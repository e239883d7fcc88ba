import { describe, expect, it } from "vitest";
import { alice, api, bob, makeWiki, titles, useWikis } from "./pages-world.ts";

useWikis();

describe("repoCreateWikiPage", () => {
  it("201: one of two at a time wins, the other is told; pages of others stay", async () => {
    const wiki = await makeWiki();
    const same = await Promise.all([wiki.create("Home", "1\n"), wiki.create("Home", "2\n")]);
    expect(same.map(({ status }) => status).sort()).toEqual([201, 400]);
    const others = await Promise.all(["A", "B", "C"].map((title) => wiki.create(title)));
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(titles(await wiki.pages())).toEqual(["A", "B", "C", "Home"]);
  });

  it("201: whoever is signed in may write a wiki that is open to all", async () => {
    const wiki = await makeWiki();
    await wiki.create("Home");
    const open = { globally_editable_wiki: true };
    expect((await api.call("PATCH", wiki.base, { as: alice, body: open })).json).toMatchObject(open);
    expect((await wiki.create("from bob", "", {}, bob)).status).toBe(201);
    const anonymous = await api.call("POST", `${wiki.base}/wiki/new`, { body: { title: "x" } });
    expect(anonymous.status).toBe(401);
    const file = { as: bob, body: { content: "" } };
    expect((await api.call("POST", `${wiki.base}/contents/a.txt`, file)).status).toBe(403);
  });
});

describe("costs of a wiki", () => {
  it("a page is read in 2 requests and written in 6, however many pages there are", async () => {
    const wiki = await makeWiki();
    const cost = (answer: { headers: Headers }) =>
      Number(/(\d+) requests/.exec(answer.headers.get("server-timing") ?? "")?.[1]);
    await wiki.create("Home");
    await wiki.get("Home"); // from now on the names are known
    const few = [cost(await wiki.get("Home")), cost(await wiki.create("Second"))];
    for (let page = 0; page < 8; page += 1) await wiki.create(`Page ${page}`);
    const many = [cost(await wiki.get("Home")), cost(await wiki.create("Last"))];
    expect(many).toEqual(few);
    expect(few).toEqual([2, 6]);
  });
});
