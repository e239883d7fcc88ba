import { describe, expect, it } from "vitest";
import { namesIn } from "../../organization/make.ts";
import {
  alice,
  api,
  ask,
  bob,
  carol,
  forks,
  found,
  make,
  shy,
  useModes,
  work,
} from "./search-modes-world.ts";

useModes();

describe("repoSearch by mode (OPQ-repoSearch.mode, OPQ-repoSearch.uid, semantics §24.2)", () => {
  it("200: fork: forks alone, and those of one owner", async () => {
    expect(await found("mode=fork")).toEqual(forks);
    expect(await found(`mode=fork&uid=${carol.user.id}`)).toEqual(["carol/apple", "carol/berry"]);
    expect(await found(`mode=fork&uid=${alice.user.id}`)).toEqual([]);
    expect(await found("mode=fork&q=berry")).toEqual(["carol/berry"]);
    expect(await found("mode=fork&is_private=true", carol)).toEqual([]);
  });

  it("200: mirror: mirrors alone, hidden ones for callers who may see them", async () => {
    expect(await found("mode=mirror")).toEqual(["alice/glass"]);
    expect(await found("mode=mirror", carol)).toEqual(["alice/glass"]);
    expect(await found("mode=mirror", bob)).toEqual(["alice/glass", "alice/well"]);
    expect(await found("mode=mirror&private=false", alice)).toEqual(["alice/glass"]);
  });

  it("200: source: neither forks nor mirrors, private and the callers' own among them", async () => {
    expect(await found("mode=source")).toEqual(["alice/apple", "alice/berry"]);
    expect(await found("mode=source", shy)).toEqual(["alice/apple", "alice/berry", "shy/cave"]);
    expect(await found("mode=source", bob)).toEqual([
      ...["alice/apple", "alice/berry", "acme/desk", "alice/vault"],
    ]);
    expect(await found(`mode=source&uid=${alice.user.id}&exclusive=true`, alice)).toEqual([
      ...["alice/apple", "alice/berry", "alice/vault"],
    ]);
  });

  it("200: collaborative: repositories that uid was given by collaboration and teams, neither their own nor mirrors", async () => {
    const query = `mode=collaborative&uid=${bob.user.id}`;
    expect(await found(query, bob)).toEqual(["acme/desk", "alice/vault"]);
    expect(await found(query, alice)).toEqual(["acme/desk", "alice/vault"]);
    expect(await found(query, carol)).toEqual([]);
    expect(await found(query)).toEqual([]);
    expect(await found(`${query}&exclusive=true`, bob)).toEqual([]);
    expect(await found(`uid=${bob.user.id}`, bob)).toEqual([
      ...["bob/apple", "acme/desk", "alice/vault", "alice/well"],
    ]);
  });

  it("200: collaborative without uid: whatever is no mirror, forks too", async () => {
    expect(await found("mode=collaborative")).toEqual([
      ...["alice/apple", "bob/apple", "carol/apple", "alice/berry", "carol/berry"],
    ]);
  });
});

describe("repoSearch with priority_owner_id (OP-repoSearch)", () => {
  const others = ["alice/apple", "bob/apple", "alice/berry", "alice/glass"];

  it("200: what the owner has comes first, each half in the order asked for", async () => {
    const query = `priority_owner_id=${carol.user.id}`;
    expect(await found(query)).toEqual(["carol/apple", "carol/berry", ...others]);
    expect(await found(`${query}&sort=alpha&order=desc`)).toEqual([
      ...["carol/berry", "carol/apple", "alice/glass", "alice/berry", "alice/apple", "bob/apple"],
    ]);
    expect(await found(`${query}&sort=id`)).toEqual([
      ...["carol/apple", "carol/berry", "alice/apple", "alice/berry", "alice/glass", "bob/apple"],
    ]);
  });

  it("200: filters hold in both halves", async () => {
    const query = `priority_owner_id=${carol.user.id}`;
    expect(await found(`${query}&q=berry`)).toEqual(["carol/berry", "alice/berry"]);
    expect(await found(`${query}&mode=source`)).toEqual(["alice/apple", "alice/berry"]);
    expect(await found(`${query}&uid=${alice.user.id}&exclusive=true`)).toEqual([
      ...["alice/apple", "alice/berry", "alice/glass"],
    ]);
    expect(await found(`${query}&template=true`)).toEqual([]);
  });

  it("200: a page that is too far for any number", async () => {
    const { status, json, headers } = await ask(`priority_owner_id=${alice.user.id}&page=9007199254740991`);
    expect([status, json.data, headers.get("x-total-count")]).toEqual([200, [], "6"]);
  });
});

describe("repositories by their number of forks, once the worker has told lists", () => {
  const rest = ["alice/glass", "bob/apple", "carol/apple", "carol/berry"];

  it("200: repoSearch sort=forks, equal ones by id whichever way (semantics §24.2)", async () => {
    await work();
    expect(await found("sort=forks&order=desc")).toEqual(["alice/apple", "alice/berry", ...rest]);
    expect(await found("sort=forks")).toEqual([...rest, "alice/berry", "alice/apple"]);
  });

  it("200: userCurrentListRepos order_by=mostforks, fewestforks (D-ORDER)", async () => {
    await work();
    const listed = async (order: string) =>
      namesIn(await api.call("GET", `/user/repos?order_by=${order}`, { as: bob }));
    const none = ["alice/vault", "alice/well", "bob/apple", "acme/desk"];
    expect(await listed("mostforks")).toEqual(none);
    await make("POST", "/repos/bob/apple/forks", alice, { name: "apple-too" });
    await work();
    const most = ["bob/apple", "alice/vault", "alice/well", "acme/desk"];
    expect(await listed("mostforks")).toEqual(most);
    expect(await listed("fewestforks")).toEqual([...most.slice(1), "bob/apple"]);
  });
});
