import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { tableRequests } from "../costs.ts";
import { alice, api, bob, boss, edit, make, names, shy, useRepositories } from "./search-world.ts";

useRepositories();

async function found(query: string, as?: Caller): Promise<string[]> {
  const { status, json, headers } = await api.call("GET", `/repos/search?${query}`, { as });
  expect(status).toBe(200);
  expect(json.ok).toBe(true);
  expect(headers.get("x-total-count")).toBe(String(json.data.length));
  return names(json.data);
}

describe("repoSearch", () => {
  it("200: only what the caller may see, by name (B-18)", async () => {
    const open = ["bob/alphabet", "alice/Beta", "alice/gamma"];
    expect(await found("")).toEqual(open);
    expect(await found("", bob)).toEqual(open);
    expect(await found("", alice)).toEqual(["alice/alpha-secret", ...open]);
    expect(await found("", shy)).toEqual(["shy/alpha-of-shy", ...open]);
    expect(await found("", boss)).toEqual(["shy/alpha-of-shy", "alice/alpha-secret", ...open]);
    const token = await api.makeToken(alice, ["public-only", "read:repository"]);
    expect(await found("", { ...alice, token })).toEqual(open);
  });

  it("200: the keyword is a part of the name, in any case, right after the write (OPQ-repoSearch.q, D-SEARCH)", async () => {
    expect(await found("q=ALPHA", alice)).toEqual(["alice/alpha-secret", "bob/alphabet"]);
    expect(await found("q=whales")).toEqual([]);
    expect(await found("q=whales&includeDesc=true")).toEqual(["alice/Beta"]);
    expect(await found("q=alpha&topic=true")).toEqual([]);
    expect(await found("q=zzzz")).toEqual([]);
    await make(bob, { name: "fresh" });
    expect(await found("q=fres")).toEqual(["bob/fresh"]);
    await edit(bob, "fresh", { name: "stale" });
    expect(await found("q=fres")).toEqual([]);
    expect((await api.call("DELETE", "/repos/bob/stale", { as: bob })).status).toBe(204);
    expect(await found("q=stale", bob)).toEqual([]);
  });

  it("200: q takes alternatives and owner/name, and with includeDesc parts of topics, as the family's do", async () => {
    expect(await found("q=BET,gam")).toEqual(["bob/alphabet", "alice/Beta", "alice/gamma"]);
    expect(await found("q=,")).toEqual([]);
    expect(await found("q=ALICE/bet")).toEqual(["alice/Beta"]);
    expect(await found("q=alice/")).toEqual(["alice/Beta", "alice/gamma"]);
    for (const query of ["q=bob/bet/a", "q=nobody/bet", "q=shy/alpha"])
      expect(await found(query)).toEqual([]);
    await api.call("PUT", "/repos/alice/gamma/topics/sea-songs", { as: alice });
    expect(await found("q=SONGS&includeDesc=true")).toEqual(["alice/gamma"]);
    expect(await found("q=songs")).toEqual([]);
    expect([await found("q=songs&topic=true"), await found("q=sea-songs&topic=true")]).toEqual([
      [],
      ["alice/gamma"],
    ]);
    await api.call("DELETE", "/repos/alice/gamma/topics/sea-songs", { as: alice });
  });

  it("200: filters by owner, visibility, template and archive (OPQ-repoSearch.exclusive, OPQ-repoSearch.uid)", async () => {
    const uid = alice.user.id;
    expect(await found(`uid=${uid}`, alice)).toEqual(["alice/alpha-secret", "alice/Beta", "alice/gamma"]);
    expect(await found(`uid=${uid}&exclusive=true`)).toEqual(["alice/Beta", "alice/gamma"]);
    expect(await found(`uid=${uid}&private=false`, alice)).toEqual(["alice/Beta", "alice/gamma"]);
    expect(await found(`uid=${uid}&is_private=true`, alice)).toEqual(["alice/alpha-secret"]);
    expect(await found("is_private=true")).toEqual([]);
    expect(await found("template=true")).toEqual(["alice/gamma"]);
    expect(await found("archived=false")).toEqual(["bob/alphabet", "alice/Beta"]);
    expect(await found("archived=true")).toEqual(["alice/gamma"]);
    expect(await found("uid=999999")).toEqual([]);
  });

  it("200: modes", async () => {
    const uid = alice.user.id;
    expect(await found(`uid=${uid}&mode=source`)).toEqual(["alice/Beta", "alice/gamma"]);
    expect(await found("mode=fork")).toEqual([]);
    expect(await found("mode=mirror")).toEqual([]);
    expect(await found(`uid=${uid}&mode=collaborative`)).toEqual([]);
  });

  it.each([
    ["alpha", ["bob/alphabet", "alice/Beta", "alice/gamma"]],
    ["id", ["alice/Beta", "alice/gamma", "bob/alphabet"]],
    ["created", ["alice/Beta", "alice/gamma", "bob/alphabet"]],
    ["updated", ["bob/alphabet", "alice/Beta", "alice/gamma"]],
    ["size", ["bob/alphabet", "alice/gamma", "alice/Beta"]],
    ["git_size", ["bob/alphabet", "alice/gamma", "alice/Beta"]],
  ])("200: sort=%s, ascending and descending", async (sort, expected) => {
    expect(await found(`sort=${sort}`)).toEqual(expected);
    expect(await found(`sort=${sort}&order=asc`)).toEqual(expected);
    expect(await found(`sort=${sort}&order=desc`)).toEqual(expected.toReversed());
  });

  it.each(["stars", "forks", "lfs_size"])("200: sort=%s, equal ones by id", async (sort) => {
    expect(await found(`sort=${sort}`)).toEqual(["alice/Beta", "alice/gamma", "bob/alphabet"]);
  });

  it.each([
    ["mode=bogus", "mode"],
    ["sort=bogus", "sort mode"],
    ["sort=constructor", "sort mode"],
    ["sort=id&order=up", "sort order"],
  ])("422: %s is refused as {ok:false, error}", async (query, word) => {
    const { status, json } = await api.call("GET", `/repos/search?${query}`);
    expect(status).toBe(422);
    expect(json.ok).toBe(false);
    expect(json.error).toContain(word);
  });

  it("200: pages with Link and exact totals; what makes no sense in page and limit is no error (OPQ-repoSearch.page)", async () => {
    const { json, headers } = await api.call("GET", "/repos/search?limit=1&page=2&sort=id");
    expect(names(json.data)).toEqual(["alice/gamma"]);
    expect(headers.get("x-total-count")).toBe("3");
    const link = headers.get("link") ?? "";
    expect(link).toContain('/api/v1/repos/search?limit=1&page=3&sort=id>; rel="next"');
    expect(link).toContain('rel="first"');
    expect((await api.call("GET", "/repos/search?page=abc&limit=-1")).json.data).toHaveLength(3);
    expect((await api.call("GET", "/repos/search?page=7")).json.data).toEqual([]);
  });

  it("costs 8 requests with a token, however many rows the page has", async () => {
    const one = await api.call("GET", "/repos/search?limit=1", { as: alice });
    const all = await api.call("GET", "/repos/search", { as: alice });
    expect(all.json.data.length).toBeGreaterThan(3);
    expect([tableRequests(one), tableRequests(all)]).toEqual([8, 8]);
  });
});

describe("userCurrentListRepos", () => {
  const listed = async (query = "") => {
    const { status, json } = await api.call("GET", `/user/repos${query}`, { as: alice });
    expect(status).toBe(200);
    return names(json);
  };

  it("200: the caller's own, private ones too, by name", async () => {
    expect(await listed()).toEqual(["alice/alpha-secret", "alice/Beta", "alice/gamma"]);
    expect(await listed("?limit=2&page=2")).toEqual(["alice/gamma"]);
  });

  it.each([
    ["name", ["alpha-secret", "Beta", "gamma"]],
    ["alphabetically", ["alpha-secret", "Beta", "gamma"]],
    ["reversealphabetically", ["gamma", "Beta", "alpha-secret"]],
    ["id", ["Beta", "alpha-secret", "gamma"]],
    ["oldest", ["Beta", "alpha-secret", "gamma"]],
    ["newest", ["gamma", "alpha-secret", "Beta"]],
    ["leastupdate", ["alpha-secret", "Beta", "gamma"]],
    ["recentupdate", ["gamma", "Beta", "alpha-secret"]],
    ["size", ["Beta", "gamma", "alpha-secret"]],
    ["reversesize", ["alpha-secret", "gamma", "Beta"]],
    ["gitsize", ["Beta", "gamma", "alpha-secret"]],
    ["reversegitsize", ["alpha-secret", "gamma", "Beta"]],
    ["lfssize", ["Beta", "alpha-secret", "gamma"]],
    ["reverselfssize", ["Beta", "alpha-secret", "gamma"]],
    ["moststars", ["Beta", "alpha-secret", "gamma"]],
    ["feweststars", ["Beta", "alpha-secret", "gamma"]],
    ["mostforks", ["Beta", "alpha-secret", "gamma"]],
    ["fewestforks", ["Beta", "alpha-secret", "gamma"]],
  ])("200: order_by=%s (FLD-order_by, D-ORDER)", async (order, expected) => {
    expect(await listed(`?order_by=${order}`)).toEqual(expected.map((name) => `alice/${name}`));
  });

  it("422: an order that the family does not know (D-ORDER)", async () => {
    const { status, json } = await api.call("GET", "/user/repos?order_by=bogus", { as: alice });
    expect(status).toBe(422);
    expect(json.message).toContain("OrderBy");
  });

  it("401: anonymous callers", async () => {
    expect((await api.call("GET", "/user/repos")).status).toBe(401);
  });

  it("200: a public-only token gets public ones alone", async () => {
    const token = await api.makeToken(alice, ["public-only", "read:repository", "read:user"]);
    for (const order of ["id", "size"]) {
      const { json } = await api.call("GET", `/user/repos?order_by=${order}`, { as: { ...alice, token } });
      expect(names(json)).toEqual(["alice/Beta", "alice/gamma"]);
    }
  });
});
