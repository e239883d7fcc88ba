import { describe, expect, it } from "vitest";
import type { FileSide } from "#core/git/diff/file-change";
import { copiedBytes, fingerprintOf } from "#core/git/diff/renames/similarity";
import { diffTrees } from "#core/git/diff/tree-diff";
import { type ObjectFormat, objectIdLength } from "#core/git/format/object-format";
import { History } from "#core/git/history/history";
import { mergeBases } from "#core/git/history/merge-base";
import { mergeCommits } from "#core/git/merge/merge-commits";
import {
  changeTree,
  type GeneratedCommit,
  type GeneratedTree,
  moveFolder,
  writeCommits,
} from "#tests/git/diff/random-trees";
import { runGit } from "#tests/git/http/real-git";
import { packsIn } from "#tests/git/memory/pack-sets";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";
import { createRandom, type Random } from "#tests/support/random";

const names = { ours: "ours", theirs: "theirs" };

/** Two lines of commits over a common start, sometimes merged crosswise on the way. */
function lines(random: Random, commits: GeneratedCommit[]): [number, number] {
  let tree: GeneratedTree = new Map();
  for (let edits = 0; edits < 4; edits++) tree = changeTree(random, tree, 10);
  const add = (commit: GeneratedCommit) => commits.push(commit) - 1;
  const start = add({ tree });
  let [ours, theirs] = [start, start];
  const grow = (from: number) => {
    const base = (commits[from] as GeneratedCommit).tree;
    const moved = random.chance(0.4) ? moveFolder(random, base) : base;
    return add({ tree: changeTree(random, moved, random.pick([2, 4, 8])), parents: [from] });
  };
  for (let rounds = random.chance(0.2) ? 1 : 0; rounds >= 0; rounds--) {
    [ours, theirs] = [grow(ours), grow(theirs)];
    if (rounds === 0) break;
    // Crosswise: each side merges the other's commit in a way of its own.
    const [one, other] = [ours, theirs];
    ours = add({
      tree: changeTree(random, (commits[one] as GeneratedCommit).tree, 2),
      parents: [one, other],
    });
    theirs = add({
      tree: changeTree(random, (commits[other] as GeneratedCommit).tree, 2),
      parents: [other, one],
    });
    [ours, theirs] = [grow(ours), grow(theirs)];
  }
  return [ours, theirs];
}

/** What git says of a merge: its tree, whether it is clean, its words. */
async function mergeOfGit(folder: string, ours: string, theirs: string) {
  const { code, stdout } = await runGit(folder, [
    "merge-tree",
    "--write-tree",
    "--messages",
    ...[ours, theirs],
  ]);
  const text = stdout.toString("latin1");
  return { tree: text.slice(0, text.indexOf("\n")), isClean: code === 0, words: text };
}

/** Merges random histories and compares with `git merge-tree --write-tree`. */
export function testMerges(format: ObjectFormat, { merges = 30 } = {}): void {
  describe(`merges of random histories (${format})`, () => {
    const random = createRandom();
    it(`come out as git's do, conflicts and trees alike (SEED=${random.seed})`, {
      timeout: 600_000,
    }, async () => {
      const folder = await bareRepository(format);
      const commits: GeneratedCommit[] = [];
      const pairs = Array.from({ length: merges }, () => lines(random, commits));
      await writeCommits(folder, commits, objectIdLength(format));
      const packs = await packsIn(folder, format);
      const history = new History(packs, { timeMs: 600_000 });
      const ids = new Map(
        (await gitText(folder, ["for-each-ref", "--format=%(refname:short) %(objectname)"]))
          .split("\n")
          .map((line) => line.split(" ") as [string, string]),
      );
      await gitText(folder, ["config", "core.bare", "true"]);
      let conflicting = 0;
      let ties = 0;
      for (const [number, [one, other]] of pairs.entries()) {
        const sidesNow = `update refs/heads/ours c${one}\nupdate refs/heads/theirs c${other}\n`;
        await gitText(folder, ["update-ref", "--stdin"], sidesNow);
        const expected = await mergeOfGit(folder, "ours", "theirs");
        const merged = await mergeCommits(
          history,
          ids.get(`c${one}`) as string,
          ids.get(`c${other}`) as string,
          names,
        );
        if (merged.kind !== "merged") throw new Error("related histories");
        const isSame = merged.tree === expected.tree && (merged.conflicts.length === 0) === expected.isClean;
        const sides = [one, other].map((at) => ids.get(`c${at}`) as string) as [string, string];
        if (!isSame && (await hasTies(history, merged.base, sides))) {
          ties += 1;
          continue;
        }
        const about = `merge ${number} of c${one} and c${other} in ${folder}\n${expected.words}\n${JSON.stringify(merged.conflicts)}`;
        expect(merged.conflicts.length === 0, about).toBe(expected.isClean);
        if (merged.tree !== expected.tree)
          await tellTrees(history, folder, merged.tree, expected.tree, about);
        conflicting += expected.isClean ? 0 : 1;
      }
      expect(ties).toBeLessThanOrEqual(Math.ceil(merges / 25));
      // Of a few merges all may go well, or none.
      if (merges < 25) return;
      expect(conflicting).toBeGreaterThan(0);
      expect(conflicting).toBeLessThan(merges);
    });
  });
}

/**
 * Whether a file of the base is equally similar to two files that a side brought, or two of its files to one: which
 * of them git takes depends on the order in which it came to read folders (docs/git-differences.md).
 */
async function hasTies(
  history: History,
  base: string | undefined,
  sides: readonly [string, string],
): Promise<boolean> {
  const [one, other] = await mergeBases(history, ...sides);
  if (one !== undefined && other !== undefined) {
    const [below] = await mergeBases(history, one, other);
    const tree = below === undefined ? undefined : (await history.links(below)).tree;
    if (await hasTies(history, tree, [one, other])) return true;
  }
  for (const side of sides) {
    const { changes } = await diffTrees(history, base, (await history.links(side)).tree);
    const regular = (file: FileSide | undefined): file is FileSide =>
      file !== undefined && file.mode >> 12 === 8;
    const old = changes
      .filter((one) => one.new === undefined)
      .map((one) => one.old)
      .filter(regular);
    const fresh = changes
      .filter((one) => one.old === undefined)
      .map((one) => one.new)
      .filter(regular);
    const seen = new Set<string>();
    for (const from of old) {
      for (const to of fresh) {
        const [one, other] = [(await history.object(from.id)).data, (await history.object(to.id)).data];
        const copied = copiedBytes(fingerprintOf(one, true), fingerprintOf(other, true));
        const similarity = Math.floor((copied * 60_000) / Math.max(one.length, other.length, 1));
        if (similarity < 30_000) continue;
        for (const key of [`from ${from.path} ${similarity}`, `to ${to.path} ${similarity}`]) {
          if (seen.has(key)) return true;
          seen.add(key);
        }
      }
    }
  }
  return false;
}

/** Fails with the files in which two trees differ. */
async function tellTrees(history: History, folder: string, ours: string, git: string, about: string) {
  const list = async (tree: string, prefix: string): Promise<string[]> => {
    const { parseTree } = await import("#core/git/format/tree");
    const found: string[] = [];
    for (const { mode, path, id } of parseTree(history.format, await history.tree(tree))) {
      if (mode === 0o040000) found.push(...(await list(id, `${prefix}${path}/`)));
      else found.push(`${mode.toString(8)} ${id} ${JSON.stringify(prefix + path)}\n${await text(mode, id)}`);
    }
    return found;
  };
  const text = async (mode: number, id: string) =>
    mode === 0o160000 || !history.has(id) ? "" : (await history.object(id)).data.toString("latin1");
  const theirs = (await gitText(folder, ["ls-tree", "-r", "-z", git])).split("\0").filter(Boolean);
  const expected = await Promise.all(
    theirs.map(async (line) => {
      const [, mode = "", id = "", path = ""] = /^(\d+) \w+ (\w+)\t([\s\S]*)$/.exec(line) ?? [];
      const latin = Buffer.from(path).toString("latin1");
      const content = mode === "160000" ? "" : await contentOf(folder, id);
      return `${mode} ${id} ${JSON.stringify(latin)}\n${content}`;
    }),
  );
  const own = await list(ours, "");
  const [lacking, surplus] = [
    expected.filter((line) => !own.includes(line)),
    own.filter((line) => !expected.includes(line)),
  ];
  expect(surplus.join("\n"), about).toBe(lacking.join("\n"));
  expect(ours, about).toBe(git);
}

const contentOf = async (folder: string, id: string): Promise<string> =>
  (await git(folder, ["cat-file", "blob", id])).toString("latin1");
