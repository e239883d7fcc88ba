import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { makePack } from "#core/git/pack/make-pack";
import { decodeLogChunk } from "#core/git/refs/ref-log";
import { commitPush } from "#core/git/store/push/commit-push";
import type { PushFacts, PushOutcome, PushRequest } from "#core/git/store/push/push";
import { readPushedRefs } from "#core/git/store/refs/pushed-refs";
import { gitPartition, type LogItem, rootKey } from "#core/git/store/refs/refs.table";
import { newRoot, openRepository, readRoot } from "#core/git/store/store";
import { createTable } from "#core/table";
import { equals, exists } from "#core/table/condition";
import { put, update } from "#core/table/write";
import { makeForge, type TestForge } from "#tests/support/forge";
import { countMeasured, measured } from "#tests/support/measured";
import { makeCommit, makeTag } from "./made-objects.ts";

let made: TestForge;
let lastId = 100;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

const main = "refs/heads/main";
const topic = "refs/heads/topic";

async function create(format: ObjectFormat = "sha1"): Promise<number> {
  const id = ++lastId;
  await made.forge.table.write(newRoot(id, { format, defaultBranch: "main" }));
  return id;
}

const push = (id: number, request: Partial<PushRequest>) =>
  commitPush(made.forge, id, { changes: [], pusherId: 7, ...request });

async function refsOf(id: number): Promise<Record<string, string>> {
  const repository = await openRepository(made.forge, id);
  return Object.fromEntries((repository?.refs.entries ?? []).map((entry) => [entry.name, entry.id]));
}

async function objectsOf(id: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of made.forge.blobs.list(`r/${id}/`)) keys.push(key);
  return keys;
}

function landed(outcome: PushOutcome): PushFacts {
  if (outcome.kind !== "done" || outcome.facts === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.facts;
}

const refusals = (outcome: PushOutcome) =>
  outcome.kind === "done" ? outcome.results.map(({ refusal }) => refusal) : [outcome.kind];

describe("newRoot", () => {
  it("makes an empty repository once", async () => {
    const id = await create("sha256");
    expect(await made.forge.table.write(newRoot(id, { format: "sha1", defaultBranch: "x" }))).toBe(false);
    expect(await readRoot(made.forge, id)).toMatchObject({
      v: 0,
      e: 1,
      state: "live",
      objectFormat: "sha256",
      head: "refs/heads/main",
      packs: [],
    });
    expect(await openRepository(made.forge, 999_999)).toBeUndefined();
  });
});

describe("commitPush", () => {
  it.each(["sha1", "sha256"] as const)(
    "lands a branch with its record, and its objects read back (%s)",
    async (format) => {
      const id = await create(format);
      const commit = makeCommit(format);
      const facts = landed(await push(id, { pack: commit.pack, changes: [{ name: main, new: commit.id }] }));
      expect(facts).toMatchObject({ wasEmpty: true, packBytes: commit.pack.packBytes, pusherId: 7 });
      expect(facts.grownBytes).toBe(commit.pack.packBytes);
      const repository = await openRepository(made.forge, id);
      expect(repository?.root).toMatchObject({ v: 1, e: 2, branches: 1, tags: 0, isWhollyReachable: true });
      expect(repository?.refs.find(main)).toEqual({
        name: main,
        id: commit.id,
        pusherId: 7,
        updatedMs: made.clock.now(),
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
    const id = await create();
    const commit = makeCommit("sha1");
    const { usage } = await measured(() =>
      push(id, { pack: commit.pack, changes: [{ name: main, new: commit.id }] }),
    );
    expect(usage.blobWrites).toBe(2);
    expect(usage.operations["dynamodb:TransactWriteItems"]).toBe(1);
    expect(usage.tableRequests).toBe(2);
    const read = await measured(() => openRepository(made.forge, id));
    expect(read.usage).toMatchObject({ tableRequests: 1, blobReads: 0 });
  });

  it("tries what the caller has read first: lands on it in one request, refuses nothing by it", async () => {
    const id = await create();
    const [first, second] = [makeCommit("sha1"), makeCommit("sha1")];
    const planned = await openRepository(made.forge, id);
    const given = planned && { before: planned };
    const { result, usage } = await measured(() =>
      push(id, { ...given, pack: first.pack, changes: [{ name: main, new: first.id }] }),
    );
    expect([refusals(result), usage.tableRequests]).toEqual([[undefined], 1]);
    const later = { name: topic, old: first.id, new: second.id };
    await push(id, { changes: [{ name: topic, new: first.id }] });
    expect(refusals(await push(id, { ...given, pack: second.pack, changes: [later] }))).toEqual([undefined]);
    expect(await refsOf(id)).toEqual({ [main]: first.id, [topic]: second.id });
    const untrue = { name: main, new: second.id };
    expect(refusals(await push(id, { ...given, changes: [untrue] }))).toEqual([expect.any(String)]);
    expect(refusals(await push(id, { ...given, changes: [untrue], isAtomic: true }))).toEqual([
      expect.any(String),
    ]);
  });

  it("reads the same refs in an instance that has seen nothing", async () => {
    const id = await create();
    let parent = makeCommit("sha1");
    await push(id, { pack: parent.pack, changes: [{ name: main, new: parent.id }] });
    for (let number = 0; number < 5; number++) {
      const next = makeCommit("sha1", [parent.id]);
      await push(id, {
        pack: next.pack,
        changes: [
          { name: main, old: parent.id, new: next.id },
          { name: `refs/heads/b${number}`, new: next.id },
        ],
      });
      parent = next;
    }
    const table = createTable({
      client: made.direct,
      name: made.forge.table.name,
      count: countMeasured,
    });
    const { result, usage } = await measured(() => openRepository({ table, blobs: made.forge.blobs }, id));
    expect(result?.refs.entries).toEqual((await openRepository(made.forge, id))?.refs.entries);
    expect(result?.refs.entries).toHaveLength(6);
    expect(usage.tableRequests).toBe(2);
  });

  it("records what annotated tags lead to, through chains of tags", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const tag = makeTag(commit.id);
    const [tagId = ""] = makePack("sha1", [tag]).ids;
    const outer = makeTag(tagId, "tag");
    const pack = makePack("sha1", [...commit.objects, tag, outer]);
    const outerId = pack.ids[4] as string;
    const facts = landed(
      await push(id, {
        pack,
        changes: [
          { name: "refs/tags/light", new: commit.id },
          { name: "refs/tags/v1", new: tagId },
          { name: "refs/tags/v2", new: outerId },
        ],
      }),
    );
    expect(facts.changes.map(({ peeled }) => peeled)).toEqual([undefined, commit.id, commit.id]);
    expect((await readRoot(made.forge, id))?.tags).toBe(3);
  });

  it("D-REFUSE: drops the refused refs of a push and lands the others", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const outcome = await push(id, {
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
    const id = await create();
    const commit = makeCommit("sha1");
    const outcome = await push(id, {
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
    expect(await objectsOf(id)).toEqual([]);
  });

  it("lands another ref in the place of a pushed one where the judge says so, and none of a refused atomic push", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const kept = "refs/kept/1";
    const as = { change: { name: kept, new: commit.id }, isForced: false };
    const request = { pack: commit.pack, changes: [{ name: "refs/asked/a", new: commit.id }] };
    const outcome = await push(id, { ...request, judge: () => [as] });
    expect(outcome).toMatchObject({
      results: [{ name: "refs/asked/a", as }],
      facts: { changes: [{ name: kept, new: commit.id }] },
    });
    const other = makeCommit("sha1");
    const atomic = { pack: other.pack, isAtomic: true, judge: () => [as, "no"] };
    const changes = ["refs/asked/a", main].map((name) => ({ name, new: other.id }));
    const refused = await push(id, { ...atomic, changes });
    expect(refusals(refused)).toEqual(["another ref of this atomic push was refused", "no"]);
    expect(refused).not.toMatchObject({ results: [{ as }] });
    expect(await refsOf(id)).toEqual({ [kept]: commit.id });
  });

  it("asks the judge only about refs that could land", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const asked: string[][] = [];
    await push(id, {
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
    const id = await create();
    const commit = makeCommit("sha1");
    const outcome = await push(id, {
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
    const id = await create();
    const commit = makeCommit("sha1");
    await push(id, { pack: commit.pack, changes: [{ name: "refs/heads/a", new: commit.id }] });
    const below = { name: "refs/heads/a/b", new: commit.id };
    expect(refusals(await push(id, { changes: [below] }))).toEqual([
      "refs/heads/a exists; can't create a ref below it",
    ]);
    const both = [{ name: "refs/heads/a", old: commit.id }, below];
    expect(refusals(await push(id, { changes: both }))).toEqual([undefined, undefined]);
    expect(await refsOf(id)).toEqual({ "refs/heads/a/b": commit.id });
  });

  it("writes the caller's items in its transaction, and asks for them anew when their condition failed", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const card = { pk: `T#${id}`, sk: "card" };
    await made.forge.table.write(put({ ...card, bytes: 1, n: 1 }));
    let asked = 0;
    const outcome = await push(id, {
      pack: commit.pack,
      changes: [{ name: main, new: commit.id }],
      extraWrites: ({ grownBytes }) => {
        asked += 1;
        return [update(card, { set: { bytes: grownBytes } }, equals({ n: asked - 1 }))];
      },
    });
    expect(landed(outcome).after.root.v).toBe(1);
    expect(asked).toBe(2);
    expect(await made.forge.table.get(card)).toMatchObject({ bytes: commit.pack.packBytes });
  });

  it("answers busy, with nothing changed, when the caller's condition never holds", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const outcome = await push(id, {
      pack: commit.pack,
      changes: [{ name: main, new: commit.id }],
      extraWrites: () => [update({ pk: `T#${id}`, sk: "none" }, { set: { a: 1 } }, exists)],
      budgetMs: 50,
    });
    expect(outcome).toEqual({ kind: "busy" });
    expect(await refsOf(id)).toEqual({});
    expect(await objectsOf(id)).toEqual([]);
  });

  it("points HEAD where the caller chooses, in the same transaction", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const name = "refs/heads/trunk";
    await push(id, {
      pack: commit.pack,
      changes: [{ name, new: commit.id }],
      chooseHead: ({ wasEmpty, changes }) => (wasEmpty ? changes[0]?.name : undefined),
    });
    expect((await readRoot(made.forge, id))?.head).toBe(name);
  });

  it("knows nothing of a repository that is gone or going, and keeps no object", async () => {
    const commit = makeCommit("sha1");
    const request = { pack: commit.pack, changes: [{ name: main, new: commit.id }] };
    expect(await push(888_888, request)).toEqual({ kind: "gone" });
    const id = await create();
    await made.forge.table.write(update(rootKey(id), { set: { state: "deleting" } }));
    expect(await push(id, request)).toEqual({ kind: "gone" });
    expect(await objectsOf(id)).toEqual([]);
  });

  it("lands 5,000 refs in one push", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const facts = landed(await push(id, { pack: commit.pack, changes: manyRefs(5_000, commit.id) }));
    expect(facts.after.root.branches).toBe(5_000);
    expect(await coldRefs(id)).toHaveLength(5_000);
  });
});

const manyRefs = (count: number, tip: string) =>
  Array.from({ length: count }, (_, index) => ({
    name: `refs/heads/many-${"x".repeat(120)}-${index}`,
    new: tip,
  }));

/** The refs as an instance reads them that has never seen the repository. */
async function coldRefs(id: number) {
  const table = createTable({ client: made.direct, name: made.forge.table.name });
  return (await openRepository({ table, blobs: made.forge.blobs }, id))?.refs.entries ?? [];
}

const stagedItems = (id: number) =>
  made.forge.table.queryAll({ pk: gitPartition(id), prefix: "C#" }).then((items) => items.length);

describe("a push of more refs than a transaction holds", () => {
  const count = 20_000;

  it("lands whole although a rival comes between, and every reader sees all of it", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    let asked = 0;
    const judge = async (_: unknown, changes: readonly unknown[]) => {
      if (asked++ === 0)
        landed(await push(id, { pack: commit.pack, changes: [{ name: topic, new: commit.id }] }));
      return changes.map(() => undefined);
    };
    const changes = manyRefs(count, commit.id);
    const facts = landed(await push(id, { pack: commit.pack, changes, isAtomic: true, judge }));
    expect([asked, facts.after.root.v, facts.after.root.branches]).toEqual([2, 2, count + 1]);
    expect(await coldRefs(id)).toHaveLength(count + 1);
    expect(await readPushedRefs(made.forge.table, id, 2)).toHaveLength(count);
    // The first attempt's chunks are gone: what is left belongs to the one that landed.
    const table = made.forge.table;
    const [first] = await table.queryAll<LogItem>({ pk: gitPartition(id), prefix: "L#0000000002#" });
    const left = await table.queryAll<LogItem>({ pk: gitPartition(id), prefix: "C#" });
    expect(left.every(({ sk }) => sk.startsWith(`C#${first?.staged}#`))).toBe(true);
    expect(left).toHaveLength(decodeLogChunk(first?.changes ?? Buffer.alloc(0)).chunks - 1);
  });

  it("lands nothing when it is atomic and one of them is refused", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const judge = (_: unknown, changes: readonly { name: string }[]) =>
      changes.map(({ name }) => (name.endsWith("-777") ? "the branch is protected" : undefined));
    const changes = manyRefs(count, commit.id);
    const outcome = await push(id, { pack: commit.pack, changes, isAtomic: true, judge });
    expect(refusals(outcome)[777]).toBe("the branch is protected");
    expect(refusals(outcome)[0]).toBe("another ref of this atomic push was refused");
    expect([await coldRefs(id), await objectsOf(id), await stagedItems(id)]).toEqual([[], [], 0]);
  });

  it("leaves nothing when its transaction fails", async () => {
    const id = await create();
    const commit = makeCommit("sha1");
    const extraWrites = () => [put({ pk: "X", sk: "never", _v: 1 }, exists)];
    const changes = manyRefs(count, commit.id);
    const outcome = await push(id, { pack: commit.pack, changes, extraWrites, budgetMs: 1 });
    expect(outcome).toEqual({ kind: "busy" });
    expect([await coldRefs(id), await objectsOf(id), await stagedItems(id)]).toEqual([[], [], 0]);
  });
});
