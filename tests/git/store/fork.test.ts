import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forkGit } from "#core/git/store/fork";
import { commitPush } from "#core/git/store/push/commit-push";
import { gitPartition, type Root } from "#core/git/store/refs/refs.table";
import { type RemovalCursor, removeRepositoryGit } from "#core/git/store/remove-repository";
import { namedPacks } from "#core/git/store/shared-packs";
import { changeRoot, newRoot, openRepository } from "#core/git/store/store";
import { absent } from "#core/table/condition";
import { put } from "#core/table/write";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makeCommit } from "./made-objects.ts";

let made: TestForge;
let lastId = 30_000;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

/** A repository of one commit. */
async function make(format: "sha1" | "sha256" = "sha1"): Promise<number> {
  lastId += 1;
  await made.forge.table.write(newRoot(lastId, { format, defaultBranch: "trunk" }));
  await push(lastId, "refs/heads/trunk", format);
  return lastId;
}
async function push(id: number, name: string, format: "sha1" | "sha256" = "sha1"): Promise<string> {
  const commit = makeCommit(format);
  const change = { name, new: commit.id };
  const { kind } = await commitPush(made.forge, id, { pack: commit.pack, changes: [change], pusherId: 1 });
  expect(kind).toBe("done");
  return commit.id;
}
async function fork(sourceId: number): Promise<number> {
  lastId += 1;
  expect(await forkGit(made.forge, sourceId, lastId, () => [])).toEqual({ kind: "done" });
  return lastId;
}
async function remove(id: number): Promise<void> {
  await changeRoot(made.forge, id, () => ({ changes: { state: "deleting" } }));
  let cursor: RemovalCursor | undefined;
  do {
    // Each step twice: a job that was killed repeats its last one.
    await removeRepositoryGit(made.forge, id, cursor);
    cursor = (await removeRepositoryGit(made.forge, id, cursor)).next;
  } while (cursor !== undefined);
}
async function objectsOf(id: number): Promise<number> {
  let objects = 0;
  for await (const _ of made.forge.blobs.list(`r/${id}/`)) objects += 1;
  return objects;
}
const rowsOf = async (id: number) =>
  [
    ...(await made.forge.table.queryAll({ pk: gitPartition(id) })),
    ...(await made.forge.table.queryAll({ pk: `POOL#${id}` })),
  ].length;

/** Every ref of a repository with what it leads to, all of it readable. */
async function contentOf(id: number): Promise<Record<string, string>> {
  // Another table object has nothing in memory.
  const stores = { ...made.forge, table: { ...made.forge.table } };
  const opened = await openRepository(stores, id);
  if (opened === undefined) throw new Error(`repository ${id} is gone`);
  const packs = await opened.packs();
  for (const { id: tip } of opened.refs.entries) expect((await packs.read(tip)).type).toBe("commit");
  return Object.fromEntries(opened.refs.entries.map(({ name, id: tip }) => [name, tip]));
}

describe("forkGit", () => {
  for (const format of ["sha1", "sha256"] as const) {
    it(`has the branches and tags of its source without a copy of any object: ${format} (B-09)`, async () => {
      const source = await make(format);
      await push(source, "refs/tags/v1", format);
      await push(source, "refs/pull/1/head", format);
      const { "refs/pull/1/head": _pull, ...shown } = await contentOf(source);
      const id = await fork(source);
      expect(await contentOf(id)).toEqual(shown);
      expect(await objectsOf(id)).toBe(0);
      const root = (await openRepository(made.forge, id))?.root;
      expect(root).toMatchObject({
        objectFormat: format,
        head: "refs/heads/trunk",
        branches: 1,
        tags: 1,
        // The pack of the pull request is there too, and nobody may be given it.
        isWhollyReachable: false,
      });
    });
  }

  it("goes its own way: what is pushed to one is not in the other", async () => {
    const source = await make();
    const id = await fork(source);
    const before = await contentOf(source);
    const own = await push(id, "refs/heads/own");
    expect(await contentOf(id)).toEqual({ ...before, "refs/heads/own": own });
    await push(source, "refs/heads/later");
    expect(await contentOf(id)).toEqual({ ...before, "refs/heads/own": own });
  });

  it("of a source without refs has none, and takes pushes", async () => {
    lastId += 1;
    const source = lastId;
    await made.forge.table.write(newRoot(source, { format: "sha1", defaultBranch: "trunk" }));
    const id = await fork(source);
    expect(await contentOf(id)).toEqual({});
    const first = await push(id, "refs/heads/trunk");
    expect(await contentOf(id)).toEqual({ "refs/heads/trunk": first });
  });

  it("has many refs", async () => {
    const source = await make();
    const { "refs/heads/trunk": tip = "" } = await contentOf(source);
    const changes = Array.from({ length: 600 }, (_, at) => ({ name: `refs/tags/${at}`, new: tip }));
    await commitPush(made.forge, source, { changes, pusherId: 1 });
    const id = await fork(source);
    expect(await contentOf(id)).toEqual(await contentOf(source));
  });

  it("while its source is pushed to: has one version of it, whole", async () => {
    const source = await make();
    const pushes = Array.from({ length: 5 }, (_, at) => push(source, `refs/heads/b${at}`));
    const forks = await Promise.all([1, 2, 3].map(() => fork(source)));
    await Promise.all(pushes);
    const last = await contentOf(source);
    for (const id of forks) expect(last).toMatchObject(await contentOf(id));
  });

  it("gone: of a source that is being deleted; refused: when another write may not be", async () => {
    const source = await make();
    lastId += 1;
    const id = lastId;
    const taken = { pk: "TAKEN", sk: String(id), _v: 1 };
    await made.forge.table.write(put(taken));
    const outcome = await forkGit(made.forge, source, id, () => [put(taken, absent)]);
    expect(outcome).toEqual({ kind: "refused", failed: [0] });
    expect(await openRepository(made.forge, id)).toBeUndefined();
    // What it wrote ahead goes like the rest of a repository.
    await remove(id);
    expect(await rowsOf(id)).toBe(0);
    await remove(source);
    expect(await forkGit(made.forge, source, id, () => [])).toEqual({ kind: "gone" });
    expect([await rowsOf(source), await objectsOf(source)]).toEqual([0, 0]);
  });
});

describe("packs that forks share", () => {
  it("outlive the repository that they came to, and go with the last that names them", async () => {
    const source = await make();
    const [child, sibling] = [await fork(source), await fork(source)];
    await push(child, "refs/heads/child");
    const grandchild = await fork(child);
    const contents = new Map<number, object>();
    for (const id of [child, sibling, grandchild]) contents.set(id, await contentOf(id));
    await remove(source);
    for (const id of [child, sibling, grandchild]) expect(await contentOf(id)).toEqual(contents.get(id));
    await remove(sibling);
    await remove(child);
    expect(await contentOf(grandchild)).toEqual(contents.get(grandchild));
    expect(await objectsOf(source)).toBe(2);
    await remove(grandchild);
    for (const id of [source, child, sibling, grandchild]) {
      expect([id, await rowsOf(id), await objectsOf(id)]).toEqual([id, 0, 0]);
    }
  });

  it("stay where they lie while their lender lives", async () => {
    const source = await make();
    const id = await fork(source);
    await remove(id);
    expect(Object.keys(await contentOf(source))).toEqual(["refs/heads/trunk"]);
    expect(await rowsOf(id)).toBe(0);
    expect(await made.forge.table.queryAll({ pk: `POOL#${source}` })).toEqual([]);
  });

  it("namedPacks: those of the lender, and those that a fork alone names by now", async () => {
    const source = await make();
    const root = (await openRepository(made.forge, source))?.root as Root;
    const [old] = root.packs;
    const id = await fork(source);
    await push(source, "refs/heads/next");
    // As a consolidation does.
    await changeRoot(made.forge, source, ({ packs }) => ({ changes: { packs: packs.slice(1) } }));
    const [, next] = await packIds(source);
    expect(next).toBeUndefined();
    expect([...(await namedPacks(made.forge.table, source))].sort()).toEqual(
      [old?.id, ...(await packIds(source))].sort(),
    );
    await remove(id);
    expect([...(await namedPacks(made.forge.table, source))]).toEqual(await packIds(source));
  });
});

const packIds = async (id: number): Promise<string[]> =>
  ((await openRepository(made.forge, id))?.root.packs ?? []).map((pack) => pack.id);
