import { randomBytes } from "node:crypto";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { encodeLog, type LoggedChange } from "#core/git/refs/ref-log";
import {
  decodeRefSegment,
  encodeRefSegment,
  longestSegment,
  splitIntoSegments,
} from "#core/git/refs/ref-segment";
import type { RefEntry } from "#core/git/refs/ref-table";
import { compactRefs } from "#core/git/store/refs/compaction";
import { logKey, replaceRoot, type SegmentItem, stagedKey } from "#core/git/store/refs/refs.table";
import { readRoot, readSnapshot } from "#core/git/store/refs/snapshot";
import { sweepRefLogs, sweepRefSegments } from "#core/git/store/refs/sweep";
import { newRoot } from "#core/git/store/store";
import { absent } from "#core/table/condition";
import { type Item, put } from "#core/table/write";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";

const repositoryId = 7;
const hourMs = 3_600_000;
const anyId = () => randomBytes(20).toString("hex");

let on: TestForge;
let forge: Forge;
beforeAll(holdStandIns);
beforeEach(async () => {
  on = await makeForge();
  forge = on.forge;
});
afterEach(() => on.stop());

describe("compaction of the ref log", () => {
  const another = (): Forge => ({ ...forge, table: { ...forge.table } });
  const names = (count: number) =>
    Array.from({ length: count }, (_, at) => `refs/heads/b${String(at).padStart(5, "0")}`);

  async function push(changes: readonly LoggedChange[]): Promise<void> {
    const root = await readRoot(forge.table, repositoryId);
    if (root === undefined) throw new Error("there is no ROOT");
    const pushed = { pushId: anyId().slice(0, 16), pusherId: 1, timeMs: 5, packIds: [], changes };
    const chunks = encodeLog("sha1", pushed);
    await forge.table.transact([
      replaceRoot(root, { v: root.v + 1 }),
      ...chunks.map((bytes, at) =>
        put({ ...logKey(repositoryId, root.v + 1, at), changes: bytes, _v: 1 }, absent),
      ),
    ]);
  }
  const create = async (count: number) => {
    await forge.table.write(newRoot(repositoryId, { format: "sha1", defaultBranch: "main" }));
    await push(names(count).map((name) => ({ name, new: anyId() })));
  };
  const items = (prefix: string) => forge.table.queryAll<Item>({ pk: `R#${repositoryId}#G`, prefix });

  it("packs refs with all that is known of them, and refuses what is damaged", () => {
    const record = {
      subject: "s",
      author: { name: "n", email: "e" },
      committedSeconds: 7,
      committedZone: "-0330",
    };
    const entries: RefEntry[] = [
      { name: "refs/heads/a", id: anyId(), record, pusherId: 4, updatedMs: 12.5 },
      { name: "refs/heads/\udcff", id: anyId(), pusherId: -1, updatedMs: 0 },
      { name: "refs/tags/t", id: anyId(), peeled: anyId(), pusherId: 4, updatedMs: 1e12 },
    ];
    const packed = encodeRefSegment("sha1", entries);
    expect(decodeRefSegment(packed)).toEqual(entries);
    packed[20] = (packed[20] ?? 0) ^ 1;
    expect(() => decodeRefSegment(packed)).toThrow("checksum");
    expect(() => decodeRefSegment(Buffer.from([9, 0, 0, 0, 0]))).toThrow("unknown format 9");
  });

  it("splits at 256 refs and at 100 KB, down to a ref for itself", () => {
    const entry = (name: string): RefEntry => ({ name, id: anyId(), pusherId: 1, updatedMs: 1 });
    const short = splitIntoSegments("sha1", names(700).map(entry));
    expect(short.map(({ entries }) => entries.length)).toEqual([175, 175, 175, 175]);
    const long = splitIntoSegments(
      "sha1",
      names(200).map((name) => entry(name + "x".repeat(950))),
    );
    for (const { bytes } of long) expect(bytes.length).toBeLessThan(longestSegment.bytes);
    expect(long.flatMap(({ entries }) => entries)).toHaveLength(200);
  });

  it("compactions nothing below 32 versions; then writes only the segments whose refs have moved", async () => {
    await create(1_000);
    expect(await compactRefs(forge, repositoryId)).toBe("nothing");
    expect(await compactRefs(forge, repositoryId, { least: 1 })).toBe("compacted");
    const before = await readRoot(forge.table, repositoryId);
    expect(before).toMatchObject({ v: 1, base: 1, segmentList: "" });
    expect(before?.segments).toHaveLength(4);
    for (let at = 0; at < 31; at += 1) await push([{ name: `refs/heads/b00900`, new: anyId() }]);
    expect(await compactRefs(forge, repositoryId)).toBe("nothing");
    await push([{ name: "refs/tags/new", new: anyId() }]);
    expect(await compactRefs(another(), repositoryId)).toBe("compacted");
    const after = await readRoot(forge.table, repositoryId);
    expect(after).toMatchObject({ v: 33, base: 33 });
    expect(after?.segments.slice(0, 3)).toEqual(before?.segments.slice(0, 3));
    expect(after?.segments[3]).not.toBe(before?.segments[3]);
    expect((await readSnapshot(another().table, repositoryId))?.refs.entries).toHaveLength(1_001);
  });

  it("reads 10,000 branches from ROOT and its segments in two round trips, and their version again for one unit", async () => {
    await create(10_000);
    await compactRefs(forge, repositoryId, { least: 1 });
    const cold = another();
    const first = await measured(() => readSnapshot(cold.table, repositoryId));
    expect(first.result?.refs.entries).toHaveLength(10_000);
    expect(first.usage.operations).toEqual({ "dynamodb:GetItem": 1, "dynamodb:BatchGetItem": 1 });
    const second = await measured(() => readSnapshot(cold.table, repositoryId));
    expect(second.usage.tableReadUnits).toBe(1);
  });

  it("more than 64 segments lie in a list of their own", async () => {
    await create(17_000);
    await compactRefs(forge, repositoryId, { least: 1 });
    const root = await readRoot(forge.table, repositoryId);
    expect([root?.segments, root?.segmentList]).toEqual([[], expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect((await readSnapshot(another().table, repositoryId))?.refs.entries).toHaveLength(17_000);
    await push(names(16_500).map((name) => ({ name })));
    await compactRefs(forge, repositoryId, { least: 1 });
    expect(await readRoot(forge.table, repositoryId)).toMatchObject({ segmentList: "" });
    on.clock.advance(hourMs + 1);
    expect(await sweepRefSegments(forge)).toBe(2);
    expect(await items("SL#")).toEqual([]);
    expect((await readSnapshot(another().table, repositoryId))?.refs.entries).toHaveLength(500);
  });

  it("the log stays a day, with chunks that lie elsewhere; then it is gone up to the base", async () => {
    await create(3);
    const [entry] = await items("L#");
    const staged = { ...stagedKey(repositoryId, "x", 1), changes: entry?.changes, _v: 1 };
    await forge.table.write(put(staged));
    await forge.table.write(put({ ...(entry as Item), staged: "x" }));
    await compactRefs(forge, repositoryId, { least: 1 });
    await push([{ name: "refs/heads/later", new: anyId() }]);
    on.clock.advance(24 * hourMs - 1);
    expect(await sweepRefLogs(forge)).toBe(0);
    on.clock.advance(2);
    expect(await sweepRefLogs(forge)).toBe(1);
    expect((await items("L#")).map(({ sk }) => sk)).toEqual(["L#0000000002#0000000000"]);
    expect(await items("C#")).toEqual([]);
    expect((await readSnapshot(another().table, repositoryId))?.refs.entries).toHaveLength(4);
  });

  it("a repository that is gone leaves nothing to sweep, and a missing segment is no empty repository", async () => {
    await create(3);
    await compactRefs(forge, repositoryId, { least: 1 });
    const [segment] = await items("S#");
    await forge.table.removeAll([segment as SegmentItem]);
    await expect(readSnapshot(another().table, repositoryId)).rejects.toThrow("lacks ref segment");
    await forge.table.removeAll(await items(""));
    on.clock.advance(25 * hourMs);
    expect([await sweepRefSegments(forge), await sweepRefLogs(forge)]).toEqual([1, 1]);
    expect(await compactRefs(forge, repositoryId)).toBe("nothing");
  });

  it.each([
    ["transact", "after its segments were swept"],
    ["write", "before it noted what to sweep"],
    ["put", "before its segments were written, and after their sweep"],
  ])("a compaction that sleeps (%s) %s is lost, and leaves no segment behind", async (call) => {
    await create(300);
    const sleepy = another();
    const { transact, write } = sleepy.table;
    let isAwake = false;
    const sleep = async () => {
      isAwake = true;
      on.clock.advance(hourMs + 1);
      await sweepRefSegments(forge);
    };
    Object.assign(sleepy.table, {
      async transact(...asked: Parameters<typeof transact>) {
        if (call === "transact" && !isAwake) await sleep();
        return transact(...asked);
      },
      async write(...asked: Parameters<typeof write>) {
        const isSegment = JSON.stringify(asked).includes('"sk":"S#');
        if (!isAwake && (call === "write" || (call === "put" && isSegment))) await sleep();
        return write(...asked);
      },
    });
    expect(await compactRefs(sleepy, repositoryId, { least: 1 })).toBe("lost");
    on.clock.advance(hourMs + 1);
    await sweepRefSegments(forge);
    expect(await items("S#")).toEqual([]);
    expect((await readSnapshot(another().table, repositoryId))?.refs.entries).toHaveLength(300);
  });
});
