import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { issueSequenceKey } from "#core/ids";
import { type IssueFilter, issueIndex } from "#core/issue/issue.index";
import { type Issue, indexEntry, issueKey } from "#core/issue/issue.table";
import { decodeIssue } from "#core/issue/issue-entry";
import { listIndexNamed } from "#core/lifecycle/list-index/all-list-indexes";
import { compactionJobKind } from "#core/list-index/compaction-requests";
import { readContents } from "#core/list-index/contents";
import { compact } from "#core/list-index/internal/compaction";
import { compactionJob } from "#core/list-index/jobs";
import { deltaWrite, listFromIndex, tombstoneWrite } from "#core/list-index/list-index";
import { manifestKey } from "#core/list-index/list-index.table";
import { readManifest } from "#core/list-index/manifest";
import { rebuildListIndex } from "#core/list-index/rebuild";
import { cacheBytes, cacheOf } from "#core/list-index/segments";
import { sweepSegments } from "#core/list-index/sweep";
import { repositoryIndex } from "#core/repository/repository.index";
import { equals } from "#core/table/condition";
import { type Item, put, type Write } from "#core/table/write";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { tick } from "#functions/workers/tick";
import { fillListIndex } from "#tests/support/fill-list-index";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { writeMany } from "#tests/support/write-many";

const repositoryId = 12;
const index = issueIndex(repositoryId);
const hourMs = 3_600_000;

const issue = (number: number, changes: Partial<Issue> = {}): Issue => ({
  ...issueKey(repositoryId, number),
  ...{ id: number, repositoryId, number, kind: "issue", authorId: 1, title: "", body: "", ref: "" },
  ...{ isClosed: false, isLocked: false, labelIds: [], milestoneId: 0, assigneeIds: [], pin: 0, comments: 0 },
  ...{ dueAt: 0, createdAt: 1, updatedAt: 1, closedAt: 0, v: 1, _v: 1 },
  ...changes,
});

describe("list index, what goes wrong", () => {
  let on: TestForge;
  let forge: Forge;
  beforeAll(holdStandIns);
  beforeEach(async () => {
    on = await makeForge({ simulation: false });
    forge = on.forge;
  });
  afterEach(() => on.stop());

  /** The forge of a process that has nothing in memory. */
  const another = (): Forge => ({ ...forge, table: { ...forge.table } });
  const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);
  const listed = async (filter: IssueFilter = {}, as = forge, page = 1, limit = 1e6) =>
    listFromIndex(as, index, { filter, sort: { by: "oldest" }, page, limit });

  const writeAll = (writes: readonly Write[]) => writeMany(forge, writes);

  /** Issues with their items, compacted. */
  async function compacted(count: number): Promise<void> {
    await forge.table.increment(issueSequenceKey(repositoryId), "n", count);
    await writeAll(numbers(count).map((number) => put(issue(number))));
    await fillListIndex(forge, index, new Map(numbers(count).map((n) => [n, indexEntry(issue(n))])));
  }
  async function segmentItems(): Promise<Item[]> {
    return forge.table.queryAll({ pk: index.partition, prefix: "S#" });
  }

  it("a delta that no worker compacts for an hour is read whole, and compacted by one run of the worker", async () => {
    await writeAll(numbers(600).map((n) => deltaWrite(index, n, indexEntry(issue(n)), 1)));
    expect((await listed()).total).toBe(600);
    on.clock.advance(hourMs);
    expect((await listed({ state: "open" }, forge, 12, 50)).ids).toEqual(numbers(50, 551));
    await tick(forge);
    const work = (event: Parameters<typeof repositoryEventsWorker>[1]) =>
      repositoryEventsWorker(forge, event);
    expect((await on.queues.drain("repository-events", work)).failed).toBe(0);
    const { entries, deltaLength } = await readContents(another(), index);
    expect([entries.size, deltaLength]).toEqual([600, 0]);
    expect((await listed({}, another())).ids).toEqual(numbers(600));
    expect(await forge.table.queryAll({ pk: "JOB#2" })).toEqual([]);
  });

  it("a long delta asks for one compaction, however many readers see it; the tick finds it when its message is lost", async () => {
    await writeAll(numbers(201).map((n) => deltaWrite(index, n, indexEntry(issue(n)), 1)));
    await Promise.all([listed(), listed(), listed({}, another()), listed({}, another())]);
    const messages = await on.queues.take("repository-events");
    expect(messages).toMatchObject([{ kind: "job", jobId: "compact-issues-12" }]);
    on.clock.advance(61_000);
    expect((await tick(forge)).restart_jobs).toBe(1);
    expect(await compactionJob(listIndexNamed).step(forge, { name: "issues-12" }, undefined)).toEqual({
      done: true,
    });
    expect((await readContents(forge, index)).deltaLength).toBe(0);
    expect(compactionJobKind).toBe("compact-list-index");
  });

  it("a segment that is missing or damaged is rebuilt from the issues by the reader who needs it, and told in the log", async () => {
    await compacted(1_100);
    const [first, second] = await segmentItems();
    await forge.table.removeAll([first as Item]);
    const bytes = Buffer.from(second?.b as Uint8Array);
    bytes[500] = (bytes[500] ?? 0) ^ 1;
    await forge.table.write(put({ ...(second as Item), b: bytes }));
    const { segments } = await readContents(another(), index);
    expect(segments.map(({ problem }) => problem)).toEqual(["missing", "checksum does not hold"]);
    expect((await listed({}, another())).ids).toEqual(numbers(1_100));
    expect(on.logged.filter(({ event }) => event === "list-index:segment-broken")).toHaveLength(2);
    expect((await readContents(another(), index)).segments.map(({ problem }) => problem)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("a list is answered from the issues where its segments break faster than they are rebuilt", async () => {
    await compacted(1_100);
    const blank = another();
    const { get, queryAll } = blank.table;
    const manifest = manifestKey(index.partition);
    let broken = 0;
    const breakAll = async () => {
      broken += 1;
      await forge.table.removeAll(await segmentItems());
    };
    // Readers of the manifest, alone or behind the delta.
    const breaking: Pick<Forge["table"], "get" | "queryAll"> = {
      async get(key, options) {
        const item = await get(key, options);
        if (key.sk === manifest.sk) await breakAll();
        return item as never;
      },
      async queryAll(query) {
        const items = await queryAll(query);
        if (query.pk === manifest.pk && items.some(({ sk }) => sk === manifest.sk)) await breakAll();
        return items as never;
      },
    };
    const asked = { ...blank, table: { ...blank.table, ...breaking } };
    expect((await listed({}, asked)).ids).toEqual(numbers(1_100));
    expect(await listed({ state: "open" }, { ...asked, table: { ...asked.table } }, 12, 50)).toEqual({
      ids: numbers(50, 551),
      total: 1_100,
    });
    expect(broken).toBeLessThan(20);
    expect((await listed({}, another())).total).toBe(1_100);
  });

  it("a compaction over a damaged segment rebuilds it", async () => {
    await compacted(10);
    await forge.table.removeAll(await segmentItems());
    await forge.table.write(deltaWrite(index, 3, indexEntry(issue(3, { isClosed: true })), 2));
    const blank = another();
    expect((await compact(blank, index)).outcome).toBe("compacted");
    expect((await listed({ state: "closed" }, blank)).ids).toEqual([3]);
    expect((await listed({}, blank)).total).toBe(10);
  });

  it("a damaged manifest refuses lists, and a rebuild replaces it, orphans swept an hour later", async () => {
    await compacted(1_030);
    await forge.table.write(put({ ...manifestKey(index.partition), g: 7, s: Buffer.from("noise"), _v: 1 }));
    await expect(listed()).rejects.toMatchObject({ code: "unavailable" });
    await expect(compact(forge, index)).rejects.toThrow("has to be rebuilt");
    expect((await readContents(forge, index)).isManifestDamaged).toBe(true);
    expect(await rebuildListIndex(forge, index)).toEqual({ blocks: 2 });
    expect((await listed({}, another())).ids).toEqual(numbers(1_030));
    expect(await segmentItems()).toHaveLength(4);
    on.clock.advance(hourMs + 1);
    await sweepSegments(forge);
    expect(await segmentItems()).toHaveLength(2);
    expect((await listed({}, another())).ids).toEqual(numbers(1_030));
  });

  it("a rebuild makes the list index what the issues are, whatever it said", async () => {
    await compacted(30);
    await forge.table.write(put(issue(4, { isClosed: true, v: 5 })));
    await forge.table.removeAll([issueKey(repositoryId, 9)]);
    await rebuildListIndex(forge, index);
    expect((await listed({}, another())).ids).toEqual(numbers(30).filter((number) => number !== 9));
    expect((await listed({ state: "closed" }, another())).ids).toEqual([4]);
  });

  it("a page far past the end is empty, of any filter and order, with the total", async () => {
    await fillListIndex(forge, index, new Map(numbers(1_100).map((n) => [n, indexEntry(issue(n))])));
    for (const by of ["latest", "recentupdate"] as const) {
      const query = { filter: {}, sort: { by }, page: 1e12, limit: 50 };
      expect(await listFromIndex(forge, index, query)).toEqual({ ids: [], total: 1_100 });
    }
  });

  it("a block that was split becomes one segment again as its entries shrink and go, without losing one", async () => {
    const many = (n: number) => indexEntry(issue(n, { labelIds: numbers(100) }));
    await fillListIndex(forge, index, new Map(numbers(1_100).map((n) => [n, many(n)])));
    const firsts = async () => (await readManifest(forge, index)).segments.map(({ first }) => first);
    const before = await firsts();
    expect(before.length).toBeGreaterThan(4);
    const shrink = async (from: number, count: number) => {
      const few = (n: number) => indexEntry(issue(n, { labelIds: [1] }));
      await writeAll(numbers(count, from).map((n) => deltaWrite(index, n, few(n), 2)));
      await compact(forge, index);
    };
    await shrink(1, 100);
    expect(await firsts()).toEqual(before);
    await shrink(101, 400);
    const half = await firsts();
    expect(half.length).toBeLessThan(before.length);
    expect((await listed({}, another())).ids).toEqual(numbers(1_100));
    await shrink(501, 523);
    await writeAll(numbers(300, 300).map((n) => tombstoneWrite(index, n, indexEntry(issue(n)), 3)));
    await compact(another(), index);
    expect(await firsts()).toEqual([0, 1_024]);
    const left = numbers(1_100).filter((n) => n < 300 || n > 599);
    expect((await listed({}, another())).ids).toEqual(left);
    expect((await listed({ labelGroups: [[100]] }, another())).ids).toEqual(numbers(77, 1_024));
    on.clock.advance(hourMs + 1);
    await sweepSegments(forge);
    expect(await segmentItems()).toHaveLength(2);
    const { entries, segments, deltaLength } = await readContents(another(), index);
    expect([entries.size, segments.length, deltaLength]).toEqual([800, 2, 0]);
  });

  it("entries larger than their share split a segment by halves, down to one entry each", async () => {
    const labels = (count: number) => numbers(count).map((label) => label);
    const entries = new Map(numbers(900).map((n) => [n, indexEntry(issue(n, { labelIds: labels(100) }))]));
    await fillListIndex(forge, index, entries);
    const { segments } = await readManifest(forge, index);
    expect(segments.map(({ first }) => first)).toEqual([0, 226, 451, 676]);
    expect((await listed({ labelGroups: [[100]] }, another())).ids).toEqual(numbers(900));
    for (const item of await segmentItems()) expect((item.b as Uint8Array).length).toBeLessThan(100_000);

    const description = "long ".repeat(12_000);
    const repository = {
      ...{ ownerId: 1, isPrivate: false, isFork: false, isMirror: false, isTemplate: false },
      ...{
        isArchived: false,
        isEmpty: false,
        units: [],
        teamIds: [],
        createdAt: 1,
        updatedAt: 1,
        topics: [],
        description,
      },
    };
    const repositories = new Map(numbers(5).map((id) => [id, { ...repository, name: `r${id}` }]));
    await fillListIndex(forge, repositoryIndex, repositories);
    expect((await readManifest(forge, repositoryIndex)).segments).toHaveLength(5);
    const found = await listFromIndex(another(), repositoryIndex, {
      filter: { keyword: "long long", searches: { descriptions: true } },
      ...{ sort: { by: "id" }, page: 1, limit: 9 },
    });
    expect(found.ids).toEqual(numbers(5));
  });

  it("of 20 writers on one entry while compactions go on, the last version stands", async () => {
    await compacted(3);
    const key = issueKey(repositoryId, 2);
    const write = async (): Promise<void> => {
      for (let tries = 0; tries < 2_000; tries += 1) {
        const { v } = (await forge.table.get<Issue>(key)) ?? issue(2);
        const next = issue(2, { v: v + 1, comments: v });
        const { committed } = await forge.table.transact([
          put(next, equals({ v })),
          deltaWrite(index, 2, indexEntry(next), v + 1),
        ]);
        if (committed) return;
      }
      throw new Error("the others were always quicker");
    };
    let isWriting = true;
    const compacting = async () => {
      while (isWriting) await compact(another(), index);
    };
    const compactions = compacting();
    try {
      await Promise.all(numbers(20).map(write));
    } finally {
      isWriting = false;
      await compactions;
    }
    expect((await compact(forge, index)).outcome).not.toBe("lost");
    const { entries } = await readContents(another(), index);
    const entry = decodeIssue(entries.get(2)?.bytes ?? Buffer.alloc(0), 0);
    expect([entries.size, entry.version, entry.comments]).toEqual([3, 21, 20]);
  }, 120_000);

  it("what has gone leaves the segments with the next compaction, its mark the delta, and never comes back", async () => {
    await compacted(5);
    await forge.table.write(tombstoneWrite(index, 2, indexEntry(issue(2)), 2));
    expect((await listed()).ids).toEqual([1, 3, 4, 5]);
    await compact(forge, index);
    const { entries, deltaLength } = await readContents(another(), index);
    expect([[...entries.keys()], deltaLength]).toEqual([[1, 3, 4, 5], 0]);
    for (const number of [1, 3, 4, 5]) {
      await forge.table.write(tombstoneWrite(index, number, indexEntry(issue(number)), 2));
    }
    await compact(forge, index);
    expect(await readManifest(forge, index)).toMatchObject({ segments: [] });
    expect(await listed()).toEqual({ ids: [], total: 0 });
  });

  it("replaced segments stay for an hour, then the tick removes them, and the reader of an older manifest goes on", async () => {
    await compacted(4);
    for (const version of [2, 3]) {
      await forge.table.write(deltaWrite(index, 1, indexEntry(issue(1, { pin: version })), version));
      await compact(forge, index);
    }
    expect(await segmentItems()).toHaveLength(3);
    on.clock.advance(hourMs - 1);
    expect((await tick(forge)).sweep_directories).toBe(0);
    expect(await segmentItems()).toHaveLength(3);
    on.clock.advance(2);
    expect((await tick(forge)).sweep_directories).toBe(3);
    const { segments } = await readManifest(forge, index);
    expect((await segmentItems()).map(({ sk }) => sk)).toEqual([`S#0000000000#${segments[0]?.id}`]);
    expect((await listed({}, another())).ids).toEqual([1, 2, 3, 4]);
  });

  it("a compaction that wakes up after its segments were swept is lost", async () => {
    await compacted(4);
    const sleepy = another();
    const write = sleepy.table.write;
    Object.assign(sleepy.table, {
      async write(asked: Parameters<typeof write>[0]) {
        if ("put" in asked && asked.put.sk === manifestKey(index.partition).sk) {
          on.clock.advance(hourMs + 1);
          await sweepSegments(forge);
        }
        return write(asked);
      },
    });
    await forge.table.write(deltaWrite(index, 1, indexEntry(issue(1, { pin: 1 })), 2));
    expect((await compact(sleepy, index)).outcome).toBe("lost");
    expect((await listed({}, another())).ids).toEqual([1, 2, 3, 4]);
    expect((await readContents(another(), index)).segments.map(({ problem }) => problem)).toEqual([
      undefined,
    ]);
  });

  it("the cache never holds more than its bound, and evicts what was used longest ago", async () => {
    const cache = cacheOf(forge.table);
    for (const at of numbers(1_000)) cache.set(`segment-${at}`, Buffer.alloc(100_000));
    expect(cache.calculatedSize).toBeLessThanOrEqual(cacheBytes);
    expect([cache.has("segment-1"), cache.has("segment-1000")]).toEqual([false, true]);
  });
});
