import { describe, expect, it } from "vitest";
import { serveGit } from "#tests/api/repository/serve-git";
import { git, temporaryFolder } from "#tests/git/pack/real-git";
import type { Caller } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { alice, api, bob, call, makeRepo, protect, useTagProtections } from "./tag-protections-world.ts";

useTagProtections();

const tag = (repo: string, tag_name: string, as = alice) =>
  call("POST", `${repo}/tags`, { tag_name }, as).then(({ status }) => status);

describe("repoCreateTagProtection", () => {
  it("201: with who may, by their names (semantics §24.7)", async () => {
    const { name } = await makeRepo();
    const { status, json } = await protect(name, { name_pattern: " v* ", whitelist_usernames: ["BOB"] });
    expect(status).toBe(201);
    expect(json).toMatchObject({ name_pattern: "v*", whitelist_usernames: ["bob"], whitelist_teams: [] });
  });

  it("400: no pattern, nobody named; 403: there is one; 422: nobody of that name, what is no pattern", async () => {
    const { name } = await makeRepo();
    const whitelist_usernames = ["alice"];
    const bad = async (body: object) => (await protect(name, body)).status;
    expect(await bad({ whitelist_usernames })).toBe(400);
    expect(await bad({ name_pattern: "v*" })).toBe(400);
    expect(await bad({ name_pattern: "v*", whitelist_usernames: ["nobody"] })).toBe(422);
    expect(await bad({ name_pattern: "v*", whitelist_teams: ["none"] })).toBe(422);
    for (const list of ["whitelist_teams", "whitelist_usernames"]) {
      const { status, json } = await protect(name, { name_pattern: "v*", [list]: Array(101).fill("none") });
      expect([status, json.message]).toEqual([422, expect.stringMatching(/^a list takes at most 100 /)]);
    }
    for (const name_pattern of [
      "[",
      "/(/",
      "/(?=v)/",
      "/((v{100}){100}){100}/",
      `/${"v{999}".repeat(6)}/`,
      "x".repeat(256),
    ]) {
      expect([name_pattern, await bad({ name_pattern, whitelist_usernames })]).toEqual([name_pattern, 422]);
    }
    const same = { name_pattern: "v*", whitelist_usernames };
    const both = await Promise.all([protect(name, same), protect(name, same)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect((await protect(name, { name_pattern: "w*", whitelist_usernames }, bob)).status).toBe(403);
  });
});

describe("repoListTagProtection", () => {
  it("200: in the order of their making; 403: a writer", async () => {
    const { name } = await makeRepo();
    for (const name_pattern of ["b", "a"])
      await protect(name, { name_pattern, whitelist_usernames: ["bob"] });
    const { json } = await call("GET", `${name}/tag_protections`);
    expect(json.map((one: { name_pattern: string }) => one.name_pattern)).toEqual(["b", "a"]);
    expect((await call("GET", `${name}/tag_protections`, undefined, bob)).status).toBe(403);
  });
});

describe("repoGetTagProtection", () => {
  it("200; 404 of another repository, whatever is asked", async () => {
    const [one, other] = [await makeRepo(), await makeRepo()];
    const { json } = await protect(one.name, { name_pattern: "v*", whitelist_usernames: ["bob"] });
    expect((await call("GET", `${one.name}/tag_protections/${json.id}`)).json).toEqual(json);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? {} : undefined;
      expect((await call(method, `${other.name}/tag_protections/${json.id}`, body)).status).toBe(404);
    }
  });
});

describe("repoEditTagProtection", () => {
  it("200: absent lists stay, empty ones clear, patterns may be taken (semantics §40)", async () => {
    const { name } = await makeRepo();
    const { json } = await protect(name, { name_pattern: "v*", whitelist_usernames: ["bob"] });
    await protect(name, { name_pattern: "taken", whitelist_usernames: ["bob"] });
    const path = `${name}/tag_protections/${json.id}`;
    expect((await call("PATCH", path, { name_pattern: "w*" })).json).toMatchObject({
      ...{ name_pattern: "w*", whitelist_usernames: ["bob"] },
    });
    expect((await call("PATCH", path, { whitelist_usernames: [] })).json.whitelist_usernames).toEqual([]);
    expect((await call("PATCH", path, { name_pattern: "taken" })).status).toBe(403);
    expect((await call("PATCH", path, { name_pattern: "" })).status).toBe(400);
    expect((await protect(name, { name_pattern: "v*", whitelist_usernames: ["bob"] })).status).toBe(201);
  });
});

describe("repoDeleteTagProtection", () => {
  it("204, then 404; its pattern is free again", async () => {
    const { name } = await makeRepo();
    const rule = { name_pattern: "v*", whitelist_usernames: ["bob"] };
    const { json } = await protect(name, rule);
    expect((await call("DELETE", `${name}/tag_protections/${json.id}`)).status).toBe(204);
    expect((await call("DELETE", `${name}/tag_protections/${json.id}`)).status).toBe(404);
    expect((await protect(name, rule)).status).toBe(201);
  });

  it("423: an archive", async () => {
    const { name } = await makeRepo();
    await call("PATCH", name, { archived: true });
    expect((await protect(name, { name_pattern: "v*", whitelist_usernames: ["bob"] })).status).toBe(423);
  });
});

describe("a protected tag", () => {
  it("is made and deleted over the API by whom any fitting rule names, by no administrator else (semantics §24.7)", async () => {
    const { name } = await makeRepo();
    await protect(name, { name_pattern: "v*", whitelist_usernames: ["bob"] });
    expect([await tag(name, "v1"), await tag(name, "v1", bob)]).toEqual([422, 201]);
    expect((await call("DELETE", `${name}/tags/v1`)).status).toBe(422);
    await protect(name, { name_pattern: "/^V\\d+$/", whitelist_usernames: ["alice"] });
    expect((await call("DELETE", `${name}/tags/v1`)).status).toBe(422);
    await protect(name, { name_pattern: "/(?i)^V\\d+$/", whitelist_usernames: ["alice"] });
    expect((await call("DELETE", `${name}/tags/v1`)).status).toBe(204);
    expect(await tag(name, "free")).toBe(201);
  });

  it("is refused in a push, the other refs of which land; a star goes past slashes (semantics §29, D-REFUSE)", async () => {
    const { name } = await makeRepo();
    await protect(name, { name_pattern: "v*", whitelist_usernames: ["bob"] });
    const served = await serveGit(api);
    const folder = await temporaryFolder();
    await git(folder, ["clone", "-q", served.url(`alice/${name}`, alice), "."]);
    for (const one of ["v1/rc", "open"]) await git(folder, ["tag", one]);
    const push = git(folder, ["push", "origin", "v1/rc", "open"]);
    await expect(push).rejects.toThrow(/remote rejected\] v1\/rc .*protected by the rule v\*/);
    await git(folder, ["push", "-q", served.url(`alice/${name}`, bob), "v1/rc"]);
    await expect(git(folder, ["push", "origin", ":v1/rc"])).rejects.toThrow(/protected/);
    await served.stop();
    const { json } = await call("GET", `${name}/tags`);
    expect(json.map((one: { name: string }) => one.name).sort()).toEqual(["open", "v1/rc"]);
  });

  it("is moved by force by whom a rule names, and by nobody else, the owner included (semantics §24.7)", async () => {
    const { name, first } = await makeRepo();
    await protect(name, { name_pattern: "v*", whitelist_usernames: ["bob"] });
    expect(await tag(name, "v1", bob)).toBe(201);
    const second = await pushFiles(api, alice, name, { files: { f: "2" } });
    const served = await serveGit(api);
    const folder = await temporaryFolder();
    const movedBy = (as: Caller) =>
      git(folder, ["push", "-q", "--force", served.url(`alice/${name}`, as), `${second}:refs/tags/v1`]);
    const target = async () => (await call("GET", `${name}/tags/v1`)).json.commit.sha;
    await git(folder, ["clone", "-q", served.url(`alice/${name}`, alice), "."]);
    await expect(movedBy(alice)).rejects.toThrow(/protected by the rule v\*/);
    expect(await target()).toBe(first);
    await movedBy(bob);
    await served.stop();
    expect(await target()).toBe(second);
  });
});
