import { afterEach, describe, expect, it, vi } from "vitest";
import { Pacer } from "#core/concurrency/pacer";
import { serializeCommit } from "#core/git/format/commit";
import { emptyTreeId, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { CommitGraph } from "#core/git/history/commit-graph/commit-graph";
import { planGraph } from "#core/git/history/commit-graph/plan-graph";
import { parseCommitLinks } from "#core/git/history/commit-links";
import { CommonAncestry } from "#core/git/history/common-ancestry";
import { reachesAll } from "#core/git/history/find-unreached";
import { History } from "#core/git/history/history";
import { logIds } from "#core/git/history/log";
import { aheadBehind, mergeBases } from "#core/git/history/merge-base";
import { findHidden } from "#core/git/history/select/hidden-objects";
import { ReachableObjects } from "#core/git/history/select/reachable-objects";
import { selectObjects } from "#core/git/history/select/select-objects";
import { type Deepening, shallowHistory } from "#core/git/history/select/shallow-history";
import { PackSet } from "#core/git/pack/pack-set";
import { Negotiation } from "#core/git/protocol/negotiation";
import { RefTable } from "#core/git/refs/ref-table";
import { packsOf } from "#tests/git/memory/pack-sets";

const format = "sha1";
const parentCount = 2_000;
const mergeCount = 4;

const commit = (seconds: number, parents: ObjectId[]): GitObject => {
  const person = { name: "A", email: "a@example.org", seconds, timezone: "+0000" };
  const rest = { author: person, committer: person, extraHeaders: [], message: Buffer.from(`${seconds}\n`) };
  return { type: "commit", data: serializeCommit({ tree: emptyTreeId(format), parents, ...rest }) };
};
const idOf = ({ type, data }: GitObject) => objectIdOf(format, type, data);

const roots = Array.from({ length: parentCount }, (_, at) => commit(1_000 + at, []));
const merges: GitObject[] = [];
for (let at = 0; at < mergeCount; at++) {
  const before = merges.slice(-1).map(idOf);
  merges.push(commit(10_000 + at, [...before, ...roots.map(idOf)]));
}
const [first, tip] = [merges[0], merges.at(-1)].map((one) => idOf(one as GitObject)) as [ObjectId, ObjectId];
const last = idOf(roots.at(-1) as GitObject);
const packs = await packsOf(format, [{ type: "tree", data: Buffer.alloc(0) }, ...roots, ...merges]);

afterEach(() => vi.restoreAllMocks());

/** The most objects that a walk looks up without asking whether others have to run. */
async function mostBetweenPaces(walk: () => Promise<unknown>): Promise<number> {
  let [most, count] = [0, 0];
  const { find, has } = PackSet.prototype;
  const note = () => {
    count += 1;
    most = Math.max(most, count);
  };
  vi.spyOn(PackSet.prototype, "find").mockImplementation(function (this: PackSet, id) {
    note();
    return find.call(this, id);
  });
  vi.spyOn(PackSet.prototype, "has").mockImplementation(function (this: PackSet, id) {
    note();
    return has.call(this, id);
  });
  const { isDue } = Pacer.prototype;
  vi.spyOn(Pacer.prototype, "isDue").mockImplementation(function (this: Pacer, steps) {
    count = 0;
    return isDue.call(this, steps);
  });
  await walk();
  return most;
}

const read = async (id: ObjectId) => (packs.has(id) ? packs.read(id) : undefined);
const shallow = (deepening: Deepening) =>
  shallowHistory({ packs, wants: [tip], borders: [first], deepening, findVisible: async (ids) => ids });
const walks: readonly (readonly [name: string, walk: () => Promise<unknown>])[] = [
  ["a log", () => logIds(new History(packs), { tips: [tip], limit: 10 })],
  ["a log of a range", () => logIds(new History(packs), { tips: [tip], not: [first], limit: 10 })],
  ["a log of a path", () => logIds(new History(packs), { tips: [tip], paths: ["x"], limit: 10 })],
  [
    "a log of what may be cut",
    () => logIds(new History(packs, { allowsCuts: true }), { tips: [tip], limit: 10 }),
  ],
  ["the count of a log", () => logIds(new History(packs), { tips: [tip], limit: 1, countAll: true })],
  ["merge bases", () => mergeBases(new History(packs), tip, last)],
  ["ahead and behind", () => aheadBehind(new History(packs), tip, first)],
  ["a commit graph", () => planGraph(new History(packs), CommitGraph.empty, [tip])],
  ["a clone", () => selectObjects({ packs, wants: [tip], haves: [] })],
  ["a fetch", () => selectObjects({ packs, wants: [tip], haves: [first] })],
  ["a shallow clone", () => shallow({ kind: "depth", depth: 3, isRelative: false })],
  ["a shallow clone by date", () => shallow({ kind: "range", sinceSeconds: 500, not: [] })],
  [
    "the deepening of a shallow clone",
    async () => {
      const request = {
        packs,
        wants: [tip],
        borders: roots.map(idOf),
        findVisible: async (ids: ObjectId[]) => ids,
      };
      const history = await shallowHistory({
        ...request,
        deepening: { kind: "depth", depth: 1, isRelative: true },
      } as never);
      await selectObjects({ packs, wants: [tip], haves: roots.map(idOf), ...(history && { history }) });
    },
  ],
  [
    "a negotiation over every commit",
    async () => {
      const negotiation = new Negotiation(async () => packs, [tip]);
      for (const id of roots.map(idOf)) await negotiation.offer(id);
    },
  ],
  [
    "what no ref leads to",
    () => {
      const refs = RefTable.empty;
      return findHidden(
        { refs, packs: async () => packs, isWhollyReachable: false } as never,
        roots.map(idOf),
      );
    },
  ],
  ["the reach of a push", () => reachesAll(read, [tip], ["1".repeat(40)], 100_000)],
  [
    "what refs lead to",
    () =>
      new ReachableObjects(packs, [tip]).findUnreached(packs, [packs.find(last) as number], { most: 1e6 }),
  ],
  [
    "a negotiation",
    () => {
      const ancestry = new CommonAncestry(read, [tip]);
      ancestry.add(last);
      return ancestry.isEverythingBased();
    },
  ],
];

describe(`a history of merges with ${parentCount} parents`, () => {
  it.each(walks)("%s looks at few of them without letting others run", async (_name, walk) => {
    expect(await mostBetweenPaces(walk)).toBeLessThan(100);
  });

  it("the links of a commit are those that git wrote, however many", () => {
    for (const count of [0, 1, 7, 8, 9, 71, 72, 73, 136, 137, parentCount]) {
      const parents = roots.slice(0, count).map(idOf);
      expect(parseCommitLinks(commit(5, parents).data)).toEqual({
        tree: emptyTreeId(format),
        parents,
        seconds: 5,
      });
    }
  });

  it("a parent that is absent is left out of a history that may be cut", async () => {
    const absent = "1".repeat(40);
    const cut = commit(20_000, [absent, ...roots.map(idOf), absent]);
    const history = new History(await packsOf(format, [...roots, cut]), { allowsCuts: true });
    expect((await history.links(idOf(cut))).parents).toEqual(roots.map(idOf));
  });

  it("a commit read counts as many steps as it has parents", async () => {
    const history = new History(packs);
    const isDue = vi.spyOn(Pacer.prototype, "isDue");
    const now = vi.spyOn(performance, "now");
    await history.links(tip);
    const before = now.mock.calls.length;
    history.pace();
    expect(isDue).toHaveBeenCalled();
    expect(now.mock.calls.length).toBeGreaterThan(before);
  });
});
