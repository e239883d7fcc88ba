import { beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import { entryPath } from "#core/git/format/tree";
import { CommitGraph } from "#core/git/history/commit-graph/commit-graph";
import { encodeGraphLayer, GraphLayer } from "#core/git/history/commit-graph/graph-layer";
import { planGraph } from "#core/git/history/commit-graph/plan-graph";
import { History } from "#core/git/history/history";
import { lastCommits } from "#core/git/history/last-commits";
import { type LogRequest, logPage } from "#core/git/history/log";
import { aheadBehind, isAncestor, mergeBases } from "#core/git/history/merge-base";
import { tipsContaining } from "#core/git/history/tips-containing";
import { findEntry } from "#core/git/history/tree-entry";
import type { PackSet } from "#core/git/pack/pack-set";
import { makeWorld, type World } from "#tests/git/history/select/selection-suite";
import { git, gitText } from "#tests/git/pack/real-git";
import { createRandom, type Random } from "#tests/support/random";

const paths = [
  "a",
  "b",
  "d",
  "d/a",
  "d/e",
  "d/e/f/g/a",
  "d.txt",
  "d-x",
  "naïve",
  "z/a b",
  "d/",
  "b/",
  "nowhere",
];
const folders = ["", "d", "d/e", "z"];

const lines = (text: string): string[] => (text === "" ? [] : text.split("\n"));

interface Question {
  readonly request: LogRequest;
  readonly args: string[];
}

function randomQuestion(random: Random, ids: readonly ObjectId[], dates: readonly number[]): Question {
  const tips = [random.pick(ids), ...random.some(ids, 2)];
  const not = random.chance(0.4) ? random.some(ids, 2) : [];
  const chosen = random.chance(0.6) ? [random.pick(paths), ...random.some(paths, 1)] : [];
  // With wrong clocks and exclusions git stops at commits that it should not; there the two differ once in a thousand.
  const firstParent = not.length === 0 && random.chance(0.4);
  const since = random.chance(0.2) ? random.pick(dates) : undefined;
  const until = random.chance(0.2) ? random.pick(dates) : undefined;
  const args = [
    ...(firstParent ? ["--first-parent"] : []),
    ...(since === undefined ? [] : [`--max-age=${since}`]),
    ...(until === undefined ? [] : [`--min-age=${until}`]),
    ...tips,
    ...not.map((id) => `^${id}`),
    "--",
    ...chosen,
  ];
  const request = {
    ...{ tips, not, paths: chosen.map(entryPath), firstParent, limit: 1_000 },
    ...defined({ since }),
    ...defined({ until }),
  };
  return { request, args };
}

/** A commit graph of everything, of what some commits lead to in one or more layers, or none. */
async function randomGraph(packs: PackSet, random: Random, ids: readonly ObjectId[]): Promise<CommitGraph> {
  if (random.chance(0.2)) return CommitGraph.empty;
  let graph = CommitGraph.empty;
  for (const tips of [random.some(ids, 3), random.chance(0.5) ? ids : random.some(ids, 3)]) {
    const { commits } = await planGraph(new History(packs), graph, tips);
    graph = new CommitGraph([...graph.layers, new GraphLayer(await encodeGraphLayer(commits))]);
  }
  return graph;
}

/** Compares logs, merge bases, last commits and paths of a random history with what git says. */
export function testWalk(format: ObjectFormat, { commits = 40, rounds = 24 } = {}): void {
  describe(`walks over random histories (${format})`, () => {
    const random = createRandom();
    const title = `(SEED=${random.seed})`;
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(format, random, { commits, keptFor: "file" });
    });
    /** The same history for each test, with a commit graph of its own. */
    const openHistory = async () => {
      const tips = world.refs.filter(({ name }) => name.startsWith("refs/heads/"));
      const dates = lines(await gitText(world.folder, ["log", "--all", "--format=%ct"])).map(Number);
      const ids = tips.map(({ id }) => id);
      const graph = await randomGraph(world.packs, random, ids);
      return {
        ...world,
        ids,
        dates,
        history: new History(world.packs, { timeMs: 300_000, graph: async () => graph }),
      };
    };

    it(`logPage lists what git rev-list lists, in its order ${title}`, async () => {
      const { folder, ids, dates, history } = await openHistory();
      for (let round = 0; round < rounds; round++) {
        const { request, args } = randomQuestion(random, ids, dates);
        const expected = lines(await gitText(folder, ["rev-list", ...args]));
        const all = await logPage(history, { ...request, countAll: true });
        expect(
          all.commits.map(({ id }) => id),
          args.join(" "),
        ).toEqual(expected);
        const [skip, limit] = [random.integer(expected.length + 1), 1 + random.integer(5)];
        const page = await logPage(history, { ...request, skip, limit, countAll: true });
        expect(page.commits.map(({ id }) => id)).toEqual(expected.slice(skip, skip + limit));
        expect([page.total, page.isTotalExact]).toEqual([expected.length, true]);
        const uncounted = await logPage(history, { ...request, skip, limit });
        expect(uncounted.hasMore).toBe(expected.length > skip + limit);
      }
    });

    it(`mergeBases, isAncestor and aheadBehind agree with git ${title}`, async () => {
      const { folder, ids, history } = await openHistory();
      for (let round = 0; round < rounds / 2; round++) {
        const [one, other, third] = [random.pick(ids), random.pick(ids), random.pick(ids)];
        const ofGit = async (...all: ObjectId[]) =>
          lines(await gitText(folder, ["merge-base", "--all", ...all]).catch(() => "")).toSorted();
        expect((await mergeBases(history, one, other)).toSorted()).toEqual(await ofGit(one, other));
        expect((await mergeBases(history, one, other, third)).toSorted()).toEqual(
          await ofGit(one, other, third),
        );
        const isBelow = await git(folder, ["merge-base", "--is-ancestor", one, other]).then(
          () => true,
          () => false,
        );
        expect(await isAncestor(history, one, other)).toBe(isBelow);
        const [ofOne, ofOther] = [await reachedFrom(one), await reachedFrom(other)];
        const ahead = ofOne.filter((id) => !ofOther.includes(id)).length;
        const behind = ofOther.filter((id) => !ofOne.includes(id)).length;
        expect(await aheadBehind(history, one, other)).toEqual({ ahead, behind });

        async function reachedFrom(id: ObjectId): Promise<string[]> {
          return lines(await gitText(folder, ["rev-list", id]));
        }
      }
    });

    it(`tipsContaining names the branches that git names ${title}`, async () => {
      const { folder, ids, refs, history } = await openHistory();
      for (let round = 0; round < 5; round++) {
        const id = random.pick(ids);
        const named = await gitText(folder, [
          "for-each-ref",
          "--contains",
          id,
          "--format=%(objectname)",
          "refs/heads",
        ]);
        const found = await tipsContaining(history, id, ids);
        expect([...found].toSorted()).toEqual([...new Set(lines(named))].toSorted());
        expect(refs.length).toBeGreaterThan(found.size);
      }
    });

    it(`lastCommits finds for each entry what git log -1 finds ${title}`, async () => {
      const { folder, ids, history } = await openHistory();
      for (let round = 0; round < rounds / 10; round++) {
        const [tip, path] = [random.pick(ids), random.pick(folders)];
        const found = await lastCommits(history, tip, path);
        const isFolder =
          (await gitText(folder, ["cat-file", "-t", `${tip}:${path}`]).catch(() => "")) === "tree";
        expect(found !== undefined).toBe(isFolder);
        for (const [name, id] of found?.commits ?? []) {
          const entry = Buffer.from(name, "latin1").toString();
          const file = path === "" ? entry : `${path}/${entry}`;
          expect(id, `${tip} ${file}`).toBe(
            await gitText(folder, ["log", "-1", "--format=%H", tip, "--", file]),
          );
        }
        const names = lines(
          await gitText(folder, ["ls-tree", "--name-only", "-z", `${tip}:${path}`]).catch(() => ""),
        );
        expect(found?.commits.size ?? 0).toBe((names[0] ?? "").split("\0").filter(Boolean).length);
      }
    });

    it(`findEntry leads where git leads ${title}`, async () => {
      const { folder, ids, history } = await openHistory();
      for (let round = 0; round < rounds / 2; round++) {
        const [tip, path] = [random.pick(ids), random.pick(paths).replace(/\/$/, "")];
        const { tree } = await history.links(tip);
        const entry = await findEntry(history, tree, entryPath(path));
        const expected = await gitText(folder, ["rev-parse", "--verify", "-q", `${tip}:${path}`]).catch(
          () => undefined,
        );
        expect(entry?.id, `${tip}:${path}`).toBe(expected);
      }
    });
  });
}
