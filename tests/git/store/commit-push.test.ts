import { describe, expect, it } from "vitest";
import { rootKey } from "#core/git/store/refs/refs.table";
import { newRoot, openRepository, readRoot } from "#core/git/store/store";
import { createTable } from "#core/table";
import { equals, exists } from "#core/table/condition";
import { put, update } from "#core/table/write";
import { makePack } from "#tests/support/git/make-pack";
import { countMeasured, measured } from "#tests/support/measured";
import { commitPushes, landed, main, refusals, topic } from "./commit-pushes.ts";
import { makeCommit, makeTag } from "./made-objects.ts";

const on = commitPushes();

async function refsOf(id: number): Promise<Record<string, string>> {
  const repository = await openRepository(on.made.forge, id);
  return Object.fromEntries((repository?.refs.entries ?? []).map((entry) => [entry.name, entry.id]));
}

describe("newRoot", () => {
  it("makes an empty repository once", async () => {
    const id = await on.create("sha256");
    expect(await on.made.forge.table.write(newRoot(id, { format: "sha1", defaultBranch: "x" }))).toBe(false);
    expect(await readRoot(on.made.forge, id)).toMatchObject({
      v: 0,
      e: 1,
      state: "live",
      objectFormat: "sha256",
      head: "refs/heads/main",
      packs: [],
    });
    expect(await openRepository(on.made.forge, 999_999)).toBeUndefined();
  });
});

describe("commitPush", () => {
  it.each(["sha1", "sha256"] as const)(
    "lands a branch with its record, and its objects read back (%s)",
    async (format) => {
      const id = await on.create(format);
      const commit = makeCommit(format);
      const facts = landed(
        await on.push(id, { pack: commit.pack, changes: [{ name: main, new: commit.id }] }),
      );
      expect(facts).toMatchObject({ wasEmpty: true, packBytes: commit.pack.packBytes, pusherId: 7 });
      expect(facts.grownBytes).toBe(commit.pack.packBytes);
      const repository = await openRepository(on.made.forge, id);
      expect(repository?.root).toMatchObject({ v: 1, e: 2, branches: 1, tags: 0, isWhollyReachable: true });
      expect(repository?.refs.find(main)).toEqual({
        name: main,
        id: commit.id,
        pusherId: 7,
        updatedMs: on.made.clock.now(),
        record: {
          subject: "A subject",
          author: { name: "Ada", email: "ada@example.org" },
          committedSeconds: expect.any(Number),
          committedZone: "+0100",
        },
      });
      const packs = await repository?.packs();
      expect((await packs?.read(commit.id))?.data.equals(commit.objects[0]?.data as Buffer)).toBe(true);
    },
  );

  it("takes one transaction and two writes to S3; the next read takes one request", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const { usage } = await measured(() =>
      on.push(id, { pack: commit.pack, changes: [{ name: main, new: commit.id }] }),
    );
    expect(usage.blobWrites).toBe(2);
    expect(usage.operations["dynamodb:TransactWriteItems"]).toBe(1);
    expect(usage.tableRequests).toBe(2);
    const read = await measured(() => openRepository(on.made.forge, id));
    expect(read.usage).toMatchObject({ tableRequests: 1, blobReads: 0 });
  });

  it("tries what the caller has read first: lands on it in one request, refuses nothing by it", async () => {
    const id = await on.create();
    const [first, second] = [makeCommit("sha1"), makeCommit("sha1")];
    const planned = await openRepository(on.made.forge, id);
    const given = planned && { before: planned };
    const { result, usage } = await measured(() =>
      on.push(id, { ...given, pack: first.pack, changes: [{ name: main, new: first.id }] }),
    );
    expect([refusals(result), usage.tableRequests]).toEqual([[undefined], 1]);
    const later = { name: topic, old: first.id, new: second.id };
    await on.push(id, { changes: [{ name: topic, new: first.id }] });
    expect(refusals(await on.push(id, { ...given, pack: second.pack, changes: [later] }))).toEqual([
      undefined,
    ]);
    expect(await refsOf(id)).toEqual({ [main]: first.id, [topic]: second.id });
    const untrue = { name: main, new: second.id };
    expect(refusals(await on.push(id, { ...given, changes: [untrue] }))).toEqual([expect.any(String)]);
    expect(refusals(await on.push(id, { ...given, changes: [untrue], isAtomic: true }))).toEqual([
      expect.any(String),
    ]);
  });

  it("reads the same refs in an instance that has seen nothing", async () => {
    const id = await on.create();
    let parent = makeCommit("sha1");
    await on.push(id, { pack: parent.pack, changes: [{ name: main, new: parent.id }] });
    for (let number = 0; number < 5; number++) {
      const next = makeCommit("sha1", [parent.id]);
      await on.push(id, {
        pack: next.pack,
        changes: [
          { name: main, old: parent.id, new: next.id },
          { name: `refs/heads/b${number}`, new: next.id },
        ],
      });
      parent = next;
    }
    const table = createTable({
      client: on.made.direct,
      name: on.made.forge.table.name,
      count: countMeasured,
    });
    const { result, usage } = await measured(() => openRepository({ table, blobs: on.made.forge.blobs }, id));
    expect(result?.refs.entries).toEqual((await openRepository(on.made.forge, id))?.refs.entries);
    expect(result?.refs.entries).toHaveLength(6);
    expect(usage.tableRequests).toBe(2);
  });

  it("records what annotated tags lead to, through chains of tags", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const tag = makeTag(commit.id);
    const [tagId = ""] = makePack("sha1", [tag]).ids;
    const outer = makeTag(tagId, "tag");
    const pack = makePack("sha1", [...commit.objects, tag, outer]);
    const outerId = pack.ids[4] as string;
    const facts = landed(
      await on.push(id, {
        pack,
        changes: [
          { name: "refs/tags/light", new: commit.id },
          { name: "refs/tags/v1", new: tagId },
          { name: "refs/tags/v2", new: outerId },
        ],
      }),
    );
    expect(facts.changes.map(({ peeled }) => peeled)).toEqual([undefined, commit.id, commit.id]);
    expect((await readRoot(on.made.forge, id))?.tags).toBe(3);
  });

  it("D-REFUSE: drops the refused refs of a push and lands the others", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const outcome = await on.push(id, {
      pack: commit.pack,
      changes: [
        { name: main, new: commit.id },
        { name: "refs/heads/locked", new: commit.id },
        { name: "refs/heads/bad..name", new: commit.id },
        { name: topic, old: commit.id, new: commit.id },
      ],
      judge: (_, changes) => changes.map(({ name }) => (name.includes("locked") ? "protected" : undefined)),
    });
    expect(refusals(outcome)).toEqual([
      undefined,
      "protected",
      "not a valid ref name",
      "no longer exists here; fetch first",
    ]);
    expect(await refsOf(id)).toEqual({ [main]: commit.id });
  });

  it("D-REFUSE: lands nothing of an atomic push with one refused ref, and keeps no object of it", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const outcome = await on.push(id, {
      pack: commit.pack,
      isAtomic: true,
      changes: [
        { name: main, new: commit.id },
        { name: topic, new: commit.id },
      ],
      judge: () => [undefined, "no"],
    });
    expect(refusals(outcome)).toEqual(["another ref of this atomic push was refused", "no"]);
    expect(outcome).not.toHaveProperty("facts");
    expect(await refsOf(id)).toEqual({});
    expect(await on.objectsOf(id)).toEqual([]);
  });

  it("lands another ref in the place of a pushed one where the judge says so, and none of a refused atomic push", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const kept = "refs/kept/1";
    const as = { change: { name: kept, new: commit.id }, isForced: false };
    const request = { pack: commit.pack, changes: [{ name: "refs/asked/a", new: commit.id }] };
    const outcome = await on.push(id, { ...request, judge: () => [as] });
    expect(outcome).toMatchObject({
      results: [{ name: "refs/asked/a", as }],
      facts: { changes: [{ name: kept, new: commit.id }] },
    });
    const other = makeCommit("sha1");
    const atomic = { pack: other.pack, isAtomic: true, judge: () => [as, "no"] };
    const changes = ["refs/asked/a", main].map((name) => ({ name, new: other.id }));
    const refused = await on.push(id, { ...atomic, changes });
    expect(refusals(refused)).toEqual(["another ref of this atomic push was refused", "no"]);
    expect(refused).not.toMatchObject({ results: [{ as }] });
    expect(await refsOf(id)).toEqual({ [kept]: commit.id });
  });

  it("asks the judge only about refs that could land", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const asked: string[][] = [];
    await on.push(id, {
      pack: commit.pack,
      changes: [
        { name: "refs/heads/x", old: "b".repeat(40), new: commit.id },
        { name: main, new: commit.id },
      ],
      judge: (_, changes) => {
        asked.push(changes.map(({ name }) => name));
        return [];
      },
    });
    expect(asked).toEqual([[main]]);
  });

  it("refuses objects that are not there, and branches that are no commits", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const outcome = await on.push(id, {
      pack: commit.pack,
      changes: [
        { name: main, new: commit.treeId },
        { name: topic, new: "c".repeat(40) },
        { name: "refs/tags/tree", new: commit.treeId },
      ],
    });
    expect(refusals(outcome)).toEqual([
      "a branch can't point at a tree",
      `object ${"c".repeat(40)} is missing`,
      undefined,
    ]);
  });

  it("refuses a name below another name and lets a deletion make room for it", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    await on.push(id, { pack: commit.pack, changes: [{ name: "refs/heads/a", new: commit.id }] });
    const below = { name: "refs/heads/a/b", new: commit.id };
    expect(refusals(await on.push(id, { changes: [below] }))).toEqual([
      "refs/heads/a exists; can't create a ref below it",
    ]);
    const both = [{ name: "refs/heads/a", old: commit.id }, below];
    expect(refusals(await on.push(id, { changes: both }))).toEqual([undefined, undefined]);
    expect(await refsOf(id)).toEqual({ "refs/heads/a/b": commit.id });
  });

  it("writes the caller's items in its transaction, and asks for them anew when their condition failed", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const card = { pk: `T#${id}`, sk: "card" };
    await on.made.forge.table.write(put({ ...card, bytes: 1, n: 1 }));
    let asked = 0;
    const outcome = await on.push(id, {
      pack: commit.pack,
      changes: [{ name: main, new: commit.id }],
      extraWrites: ({ grownBytes }) => {
        asked += 1;
        return [update(card, { set: { bytes: grownBytes } }, equals({ n: asked - 1 }))];
      },
    });
    expect(landed(outcome).after.root.v).toBe(1);
    expect(asked).toBe(2);
    expect(await on.made.forge.table.get(card)).toMatchObject({ bytes: commit.pack.packBytes });
  });

  it("answers busy, with nothing changed, when the caller's condition never holds", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const outcome = await on.push(id, {
      pack: commit.pack,
      changes: [{ name: main, new: commit.id }],
      extraWrites: () => [update({ pk: `T#${id}`, sk: "none" }, { set: { a: 1 } }, exists)],
      budgetMs: 50,
    });
    expect(outcome).toEqual({ kind: "busy" });
    expect(await refsOf(id)).toEqual({});
    expect(await on.objectsOf(id)).toEqual([]);
  });

  it("points HEAD where the caller chooses, in the same transaction", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const name = "refs/heads/trunk";
    await on.push(id, {
      pack: commit.pack,
      changes: [{ name, new: commit.id }],
      chooseHead: ({ wasEmpty, changes }) => (wasEmpty ? changes[0]?.name : undefined),
    });
    expect((await readRoot(on.made.forge, id))?.head).toBe(name);
  });

  it("knows nothing of a repository that is gone or going, and keeps no object", async () => {
    const commit = makeCommit("sha1");
    const request = { pack: commit.pack, changes: [{ name: main, new: commit.id }] };
    expect(await on.push(888_888, request)).toEqual({ kind: "gone" });
    const id = await on.create();
    await on.made.forge.table.write(update(rootKey(id), { set: { state: "deleting" } }));
    expect(await on.push(id, request)).toEqual({ kind: "gone" });
    expect(await on.objectsOf(id)).toEqual([]);
  });
});
