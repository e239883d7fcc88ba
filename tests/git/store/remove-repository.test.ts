import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitPush } from "#core/git/store/push/commit-push";
import { gitPartition } from "#core/git/store/refs/refs.table";
import { type RemovalCursor, removeRepositoryGit } from "#core/git/store/remove-repository";
import { changeRoot, newRoot, openRepository, readRoot } from "#core/git/store/store";
import { put } from "#core/table/write";
import { makeForge, type TestForge } from "#tests/support/forge";
import { type MadeCommit, makeCommit } from "./made-objects.ts";

let made: TestForge;
let lastId = 20_000;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

async function filled(pushes: number): Promise<number> {
  const id = ++lastId;
  await made.forge.table.write(newRoot(id, { format: "sha1", defaultBranch: "main" }));
  let last: MadeCommit | undefined;
  for (let number = 0; number < pushes; number++) {
    const next = makeCommit("sha1", last ? [last.id] : []);
    const change = { name: "refs/heads/main", new: next.id, ...(last && { old: last.id }) };
    await commitPush(made.forge, id, { pack: next.pack, changes: [change], pusherId: 1 });
    last = next;
  }
  return id;
}

async function leftovers(id: number): Promise<number> {
  const items = await made.forge.table.queryAll({ pk: gitPartition(id) });
  let objects = 0;
  for await (const _ of made.forge.blobs.list(`r/${id}/`)) objects += 1;
  return items.length + objects;
}

async function markGone(id: number): Promise<void> {
  const outcome = await changeRoot(made.forge, id, () => ({ changes: { state: "deleting" } }));
  expect(outcome).toEqual({ kind: "done" });
}

describe("a repository that is deleted", () => {
  it("is hidden at once and refuses pushes", async () => {
    const id = await filled(1);
    await markGone(id);
    expect(await openRepository(made.forge, id)).toBeUndefined();
    const commit = makeCommit("sha1");
    const change = { name: "refs/heads/x", new: commit.id };
    const outcome = await commitPush(made.forge, id, { pack: commit.pack, changes: [change], pusherId: 1 });
    expect(outcome).toEqual({ kind: "gone" });
    expect(await changeRoot(made.forge, id, () => ({ changes: {} }))).toEqual({ kind: "gone" });
  });

  it("goes although another write of ROOT came between", async () => {
    const id = await filled(1);
    let tries = 0;
    const outcome = await changeRoot(made.forge, id, async () => {
      tries += 1;
      const changes = { head: "refs/heads/other" } as const;
      if (tries === 1) await changeRoot(made.forge, id, () => ({ changes }));
      return { changes: { state: "deleting" } };
    });
    expect([outcome, tries]).toEqual([{ kind: "done" }, 2]);
    expect(await readRoot(made.forge, id)).toMatchObject({ state: "deleting", head: "refs/heads/other" });
  });
});

describe("removeRepositoryGit", () => {
  it("empties the repository step by step, each of which may be repeated", async () => {
    const [id, neighbour] = [await filled(2), await filled(2)];
    const segments = Array.from({ length: 150 }, (_, index) => ({ pk: gitPartition(id), sk: `S#${index}` }));
    await Promise.all(segments.map((item) => made.forge.table.write(put(item))));
    const before = await leftovers(neighbour);
    await markGone(id);
    let cursor: RemovalCursor | undefined;
    let steps = 0;
    do {
      const { next } = await removeRepositoryGit(made.forge, id, cursor);
      await removeRepositoryGit(made.forge, id, cursor);
      cursor = next;
      steps += 1;
    } while (cursor !== undefined);
    expect(steps).toBeGreaterThan(2);
    expect(await leftovers(id)).toBe(0);
    expect(await leftovers(neighbour)).toBe(before);
    expect(await removeRepositoryGit(made.forge, id, undefined)).toEqual({
      next: "objects",
      hasFound: false,
    });
  });
});
