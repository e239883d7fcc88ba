import { describe, expect, it } from "vitest";
import { decodeLogChunk } from "#core/git/refs/ref-log";
import { readPushedRefs } from "#core/git/store/refs/pushed-refs";
import { gitPartition, type LogItem } from "#core/git/store/refs/refs.table";
import { exists } from "#core/table/condition";
import { put } from "#core/table/write";
import { commitPushes, landed, manyRefs, refusals, topic } from "./commit-pushes.ts";
import { makeCommit } from "./made-objects.ts";

const on = commitPushes();

const stagedItems = (id: number) =>
  on.made.forge.table.queryAll({ pk: gitPartition(id), prefix: "C#" }).then((items) => items.length);

describe("a push of more refs than a transaction holds", () => {
  const count = 20_000;

  it("lands whole although a rival comes between, and every reader sees all of it", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    let asked = 0;
    const judge = async (_: unknown, changes: readonly unknown[]) => {
      if (asked++ === 0)
        landed(await on.push(id, { pack: commit.pack, changes: [{ name: topic, new: commit.id }] }));
      return changes.map(() => undefined);
    };
    const changes = manyRefs(count, commit.id);
    const facts = landed(await on.push(id, { pack: commit.pack, changes, isAtomic: true, judge }));
    expect([asked, facts.after.root.v, facts.after.root.branches]).toEqual([2, 2, count + 1]);
    expect(await on.coldRefs(id)).toHaveLength(count + 1);
    expect(await readPushedRefs(on.made.forge.table, id, 2)).toHaveLength(count);
    // The first attempt's chunks are gone: what is left belongs to the one that landed.
    const table = on.made.forge.table;
    const [first] = await table.queryAll<LogItem>({ pk: gitPartition(id), prefix: "L#0000000002#" });
    const left = await table.queryAll<LogItem>({ pk: gitPartition(id), prefix: "C#" });
    expect(left.every(({ sk }) => sk.startsWith(`C#${first?.staged}#`))).toBe(true);
    expect(left).toHaveLength(decodeLogChunk(first?.changes ?? Buffer.alloc(0)).chunks - 1);
  });

  it("lands nothing when it is atomic and one of them is refused", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const judge = (_: unknown, changes: readonly { name: string }[]) =>
      changes.map(({ name }) => (name.startsWith("refs/heads/777-") ? "the branch is protected" : undefined));
    const changes = manyRefs(count, commit.id);
    const outcome = await on.push(id, { pack: commit.pack, changes, isAtomic: true, judge });
    expect(refusals(outcome)[777]).toBe("the branch is protected");
    expect(refusals(outcome)[0]).toBe("another ref of this atomic push was refused");
    expect([await on.coldRefs(id), await on.objectsOf(id), await stagedItems(id)]).toEqual([[], [], 0]);
  });

  it("leaves nothing when its transaction fails", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const extraWrites = () => [put({ pk: "X", sk: "never", _v: 1 }, exists)];
    const changes = manyRefs(count, commit.id);
    const outcome = await on.push(id, { pack: commit.pack, changes, extraWrites, budgetMs: 1 });
    expect(outcome).toEqual({ kind: "busy" });
    expect([await on.coldRefs(id), await on.objectsOf(id), await stagedItems(id)]).toEqual([[], [], 0]);
  });
});
