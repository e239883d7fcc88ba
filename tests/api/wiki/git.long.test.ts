import { describe, expect, it } from "vitest";
import { checkTable } from "#core/lifecycle/check/check";
import { git, temporaryFolder } from "#tests/git/pack/real-git";
import type { Caller } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { finishJobs } from "#tests/support/jobs";
import { alice, api, bob, create, served, stored, useWikiGit } from "./git-world.ts";

useWikiGit();

describe("a wiki over git (D-WIKI)", () => {
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
});
