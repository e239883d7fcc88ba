import { describe, expect, it } from "vitest";
import { openCode } from "#core/code/open";
import { directoryMode, serializeTree } from "#core/git/format/tree";
import { packOfNew } from "#core/git/merge/new-objects";
import { writeCommit } from "#core/git/merge/write-commit";
import { makeRepository, pushRef } from "#tests/support/code";
import { alice, api, creating, usePaths, write } from "./hostile-paths-world.ts";

usePaths();

const deep = (count: number) => Array.from({ length: count }, (_, at) => `b${at}/${"a/".repeat(1_900)}f`);

describe("repoChangeFiles", () => {
  it("422: paths with more than 30,000 folders above them altogether, each a tree to write", async () => {
    await makeRepository(api, alice, "deep", { auto_init: true });
    const { status, json } = await write("deep/contents", creating(deep(16)));
    expect([status, json.message]).toEqual([
      422,
      "[Path]: the paths of one request may have 30000 folders above them",
    ]);
    expect((await write("deep/contents", creating(deep(2)))).status).toBe(201);
  });

  it("201: contents are shown up to 4 MiB together (D-BIGBODY)", async () => {
    await makeRepository(api, alice, "shown", { auto_init: true });
    const content = Buffer.alloc(900_000).toString("base64");
    const { json } = await write("shown/contents", creating(["1", "2", "3", "4", "5"], content));
    const shown = json.files.map((file: { content: string | null }) => file.content !== null);
    expect(shown).toEqual([true, true, true, true, false]);
  });
});

describe("repoCreateFile", () => {
  it("422: where folders of empty folders without an end are", async () => {
    const repositoryId = await makeRepository(api, alice, "endless");
    const { history } = await openCode(api.forge, repositoryId);
    const treeOf = (names: readonly string[], id: string) =>
      history.add("tree", serializeTree(names.map((path) => ({ path, mode: directoryMode, id }))));
    const names = Array.from({ length: 100 }, (_, at) => `d${at}`);
    let folder = history.add("tree", Buffer.alloc(0));
    for (let level = 0; level < 6; level += 1) folder = treeOf(names, folder);
    const who = { name: "Alice", email: "alice@example.com", seconds: 1_700_000_000, timezone: "+0000" };
    const tree = treeOf(["endless"], folder);
    const id = await writeCommit(history, { tree, parents: [], author: who, committer: who, message: "m" });
    const pack = await packOfNew(history, [id]);
    await pushRef(api, alice, "endless", { ref: "refs/heads/main", id, pack });
    const { status, json } = await write("endless/contents/endless", { content: "" });
    expect([status, json.message]).toEqual([422, "repository file already exists [path: endless]"]);
  });
});
