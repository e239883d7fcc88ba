import { describe, expect, it } from "vitest";
import { serializeCommit } from "#core/git/format/commit";
import { type ObjectId, objectIdOf } from "#core/git/format/object-format";
import type { GitObject, ObjectType } from "#core/git/format/object-type";
import { directoryMode, fileMode, serializeTree } from "#core/git/format/tree";
import {
  anyPath,
  FilterRoom,
  filterOfPaths,
  mayHold,
  pathKey,
} from "#core/git/history/commit-graph/bloom-filter";
import { CommitGraph } from "#core/git/history/commit-graph/commit-graph";
import type { GraphColumns } from "#core/git/history/commit-graph/graph-columns";
import { encodeGraphLayer, GraphLayer } from "#core/git/history/commit-graph/graph-layer";
import { planGraph } from "#core/git/history/commit-graph/plan-graph";
import { History } from "#core/git/history/history";
import { logPage } from "#core/git/history/log";
import { aheadBehind } from "#core/git/history/merge-base";
import { tipsContaining } from "#core/git/history/tips-containing";
import { claimedObjects } from "#tests/git/memory/pack-sets";
import { createRandom } from "#tests/support/random";

/** A line of commits; each edits `often/<number % 50>`, every hundredth also `rare/file`. `secondsOf`: their dates. */
function lineOf(commits: number, secondsOf: (number: number) => number = (number) => 60 * number) {
  const objects = new Map<ObjectId, GitObject>();
  const add = (type: ObjectType, data: Buffer): ObjectId => {
    const id = objectIdOf("sha1", type, data);
    objects.set(id, { type, data });
    return id;
  };
  const folders = { often: new Map<string, ObjectId>(), rare: new Map<string, ObjectId>() };
  const treeOf = (files: ReadonlyMap<string, ObjectId>, mode = fileMode) =>
    add("tree", serializeTree([...files].map(([path, id]) => ({ mode, path, id }))));
  const ids: ObjectId[] = [];
  for (let number = 0; number < commits; number++) {
    const blob = add("blob", Buffer.from(`${number}`));
    folders.often.set(`${number % 50}`, blob);
    if (number % 100 === 0) folders.rare.set("file", blob);
    const tree = treeOf(
      new Map(Object.entries(folders).map(([name, files]) => [name, treeOf(files)])),
      directoryMode,
    );
    const person = { name: "A", email: "a@example.org", seconds: secondsOf(number), timezone: "+0000" };
    const parents = ids.slice(-1);
    const extra = { extraHeaders: [], message: Buffer.from(`${number}\n`) };
    ids.push(add("commit", serializeCommit({ tree, parents, author: person, committer: person, ...extra })));
  }
  let reads = 0;
  const packs = claimedObjects("sha1", objects, () => {
    reads += 1;
  });
  const readsOf = async (work: () => Promise<unknown>) => {
    const before = reads;
    await work();
    return reads - before;
  };
  return { ids, packs, readsOf };
}

const entriesOf = (commits: GraphColumns) =>
  Array.from({ length: commits.count }, (_, number) => commits.at(number));

async function graphOf({ packs }: Pick<ReturnType<typeof lineOf>, "packs">, tips: readonly ObjectId[]) {
  const { commits } = await planGraph(new History(packs), CommitGraph.empty, tips);
  const graph = new CommitGraph([new GraphLayer(await encodeGraphLayer(commits))]);
  return async () => graph;
}

describe("walks with a commit graph", () => {
  it("a log with a path reads trees of the commits that changed it, and a few others", async () => {
    const line = lineOf(600);
    const tip = line.ids.at(-1) as ObjectId;
    const graph = await graphOf(line, [tip]);
    const log = (history: History) => logPage(history, { tips: [tip], paths: ["rare/file"], limit: 50 });
    const without = await line.readsOf(() => log(new History(line.packs)));
    const reads = await line.readsOf(() => log(new History(line.packs, { graph })));
    expect(without).toBeGreaterThan(1_200);
    // 6 commits and their parents, two trees each, the 6 that are shown, and what the filter can't tell apart.
    expect(reads).toBeLessThan(60);
    expect((await log(new History(line.packs, { graph }))).commits.map(({ id }) => id)).toEqual(
      [5, 4, 3, 2, 1, 0].map((hundred) => line.ids[hundred * 100]),
    );
  });

  it("counts, and what contains a commit, read no commit at all; commits that it lacks are read", async () => {
    const line = lineOf(300);
    const [old, tip] = [line.ids[250] as ObjectId, line.ids.at(-1) as ObjectId];
    const whole = new History(line.packs, { graph: await graphOf(line, [tip]) });
    const partial = new History(line.packs, { graph: await graphOf(line, [line.ids[289] as ObjectId]) });
    const counted = (history: History) =>
      line.readsOf(async () =>
        expect(await aheadBehind(history, tip, old)).toEqual({ ahead: 49, behind: 0 }),
      );
    const contained = (history: History) =>
      line.readsOf(async () => expect((await tipsContaining(history, old, [tip])).size).toBe(1));
    expect([await counted(whole), await contained(whole)]).toEqual([0, 0]);
    expect([await counted(partial), await contained(partial)]).toEqual([10, 10]);
  });

  it("a log's total reads the page and what the graph lacks; it is the same without a graph", async () => {
    const line = lineOf(300);
    const tip = line.ids.at(-1) as ObjectId;
    const first = graphOf(line, [line.ids[289] as ObjectId]);
    const inTwo = async () => {
      const { commits } = await planGraph(new History(line.packs), await (await first)(), [tip]);
      return new CommitGraph([
        ...(await (await first)()).layers,
        new GraphLayer(await encodeGraphLayer(commits)),
      ]);
    };
    const [two, partial] = [await inTwo(), await (await first)()];
    const readsOf = (graph: CommitGraph | undefined, tips: readonly ObjectId[]) =>
      line.readsOf(async () => {
        const history = new History(line.packs, graph && { graph: async () => graph });
        const page = await logPage(history, { tips, limit: 5, countAll: true });
        expect([page.total, page.isTotalExact, page.hasMore]).toEqual([300, true, true]);
      });
    // Totals are remembered by what was asked: each question names its tip another number of times.
    const page = await readsOf(two, [tip]);
    expect(page).toBeLessThanOrEqual(10);
    expect(await readsOf(partial, [tip, tip])).toBeLessThanOrEqual(page + 30);
    expect(await readsOf(undefined, [tip, tip, tip])).toBeGreaterThanOrEqual(300);
  });

  it("counts are exact however wrong clocks were, where generations are known", async () => {
    // The middle of the line is dated decades before its own ancestors.
    const line = lineOf(60, (number) => (number >= 20 && number < 40 ? 100 : 2_000_000_000 + number));
    const side = line.ids[30] as ObjectId;
    const [tip, low] = [line.ids.at(-1) as ObjectId, line.ids[10] as ObjectId];
    const history = new History(line.packs, { graph: await graphOf(line, [tip]) });
    expect(await aheadBehind(history, tip, side)).toEqual({ ahead: 29, behind: 0 });
    expect(await aheadBehind(history, low, tip)).toEqual({ ahead: 0, behind: 49 });
    expect(await tipsContaining(history, low, [side, tip])).toEqual(new Set([side, tip]));
  });

  it("takes nothing in that leads to an absent commit, and passes over what is no commit", async () => {
    const line = lineOf(10);
    const { tree } = await new History(line.packs).links(line.ids[9] as ObjectId);
    const absent = line.ids[4] as ObjectId;
    const find = (id: ObjectId) => (id === absent ? undefined : line.packs.find(id));
    const packs = { ...line.packs, find, has: (id: ObjectId) => id !== absent } as typeof line.packs;
    const tips = [line.ids[9] as ObjectId, line.ids[3] as ObjectId, tree, "0".repeat(40)];
    const { commits, isComplete } = await planGraph(new History(packs), CommitGraph.empty, tips);
    expect(isComplete).toBe(true);
    expect(entriesOf(commits).map(({ id }) => id)).toEqual(line.ids.slice(0, 4));
    expect(entriesOf(commits).map(({ generation }) => generation)).toEqual([1, 2, 3, 4]);
  });

  it("stops where it is told to, with parents before children", async () => {
    const line = lineOf(10);
    const bounds = { mostCommits: 3 };
    const plan = await planGraph(new History(line.packs), CommitGraph.empty, line.ids.slice(-1), bounds);
    expect(plan.isComplete).toBe(false);
    expect(entriesOf(plan.commits).map(({ id }) => id)).toEqual(line.ids.slice(0, 3));
  });
});

describe("GraphLayer", () => {
  it("refuses bytes of which one is another, or that end elsewhere", async () => {
    const line = lineOf(5);
    const { commits } = await planGraph(new History(line.packs), CommitGraph.empty, line.ids.slice(-1));
    const bytes = await encodeGraphLayer(commits);
    const random = createRandom();
    for (let round = 0; round < 100; round++) {
      const harmed = Buffer.from(bytes);
      const at = random.integer(harmed.length);
      harmed[at] = (harmed[at] as number) ^ (1 + random.integer(255));
      expect(() => new GraphLayer(harmed), `SEED=${random.seed} byte ${at}`).toThrow("damaged layer");
      expect(() => new GraphLayer(bytes.subarray(0, at))).toThrow("damaged layer");
    }
    const whole = new GraphLayer(bytes);
    expect([...whole.entries()].toSorted((one, other) => one.generation - other.generation)).toEqual(
      entriesOf(commits),
    );
  });
});

describe("filters of changed paths", () => {
  it("hold every path of theirs, and about one in a thousand others", () => {
    let [held, others] = [0, 0];
    for (let filter = 0; filter < 100; filter++) {
      const paths = new Set(Array.from({ length: 1 + filter }, (_, at) => `folder-${filter}/file-${at}`));
      const bits = filterOfPaths(paths, new FilterRoom());
      for (const path of paths) held += mayHold(bits, pathKey(path)) ? 0 : 1;
      for (let other = 0; other < 100; other++) {
        others += mayHold(bits, pathKey(`other-${filter}/file-${other}`)) ? 1 : 0;
      }
    }
    expect(held).toBe(0);
    expect(others).toBeLessThan(30);
    expect(mayHold(filterOfPaths(new Set(), new FilterRoom()), pathKey("a"))).toBe(false);
    expect(mayHold(anyPath, pathKey("a"))).toBe(true);
  });
});
