import { describe, expect, it } from "vitest";
import { type FileChange, similarityPercent } from "#core/git/diff/file-change";
import { PatchWriter } from "#core/git/diff/patch/patch";
import { type FileStat, fileStats, shortstatText, shownName, summaryText } from "#core/git/diff/patch/stat";
import { statText } from "#core/git/diff/patch/stat-text";
import { detectRenames, type RenameOptions } from "#core/git/diff/renames/renames";
import { diffTrees } from "#core/git/diff/tree-diff";
import { type ObjectFormat, objectIdLength } from "#core/git/format/object-format";
import { History } from "#core/git/history/history";
import { packsIn } from "#tests/git/memory/pack-sets";
import { bareRepository, git } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { changeTree, type GeneratedCommit, type GeneratedTree, writeCommits } from "./random-trees.ts";

/** The patch of some changes as one text. */
export async function patchOf(writer: PatchWriter, changes: readonly FileChange[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writer.write(changes)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const letters = { added: "A", deleted: "D", modified: "M", "type-changed": "T", renamed: "R", copied: "C" };

/** `git diff --name-status -z`. */
const nameStatus = (changes: readonly FileChange[]): Buffer =>
  Buffer.from(
    changes
      .map(({ status, old, new: fresh, similarity }) => {
        const percent =
          similarity === undefined ? "" : String(similarityPercent(similarity)).padStart(3, "0");
        const paths = similarity === undefined ? [fresh?.path ?? old?.path] : [old?.path, fresh?.path];
        return `${letters[status]}${percent}\0${paths.join("\0")}\0`;
      })
      .join(""),
    "latin1",
  );

const flagsOf = (renames: RenameOptions | undefined): string[] =>
  renames === undefined ? ["--no-renames"] : [renames.copies ? "-C" : "-M"];

/** Compares diffs of random trees with what git writes, byte for byte. */
export function testDiffs(format: ObjectFormat, { commits = 25 } = {}): void {
  describe(`diffs of random trees (${format})`, () => {
    const random = createRandom();

    it(`are git's, byte for byte: patch, stat, numstat, shortstat, summary (SEED=${random.seed})`, {
      timeout: 300_000,
    }, async () => {
      const folder = await bareRepository(format);
      const trees: GeneratedTree[] = [new Map()];
      while (trees.length < commits) trees.push(changeTree(random, trees.at(-1) as GeneratedTree, 9));
      const written = trees.map((tree, at): GeneratedCommit => ({ tree, parents: at === 0 ? [] : [at - 1] }));
      await writeCommits(folder, written, objectIdLength(format));
      const packs = await packsIn(folder, format);
      const history = new History(packs, { timeMs: 300_000 });
      const tips = (await git(folder, ["for-each-ref", "--format=%(refname:short) %(tree) %(objectname)"]))
        .toString()
        .trim()
        .split("\n")
        .map((line) => line.split(" ") as [string, string, string]);
      const commitOf = new Map(tips.map(([name, , id]) => [name, id]));
      for (let at = 1; at < commits; at++) {
        const [old, fresh] = [`c${random.chance(0.8) ? at - 1 : random.integer(at)}`, `c${at}`];
        const [from, to] = [await treeOf(old), await treeOf(fresh)];
        for (const renames of [undefined, {}, { copies: true }]) {
          const raw = await diffTrees(history, from, to);
          expect(raw.isCut).toBe(false);
          const changes =
            renames === undefined ? raw.changes : await detectRenames(history, raw.changes, renames);
          const args = ["diff", "--no-ext-diff", ...flagsOf(renames), old, fresh];
          const ofGit = (...options: string[]) =>
            git(folder, [...args.slice(0, 3), ...options, ...args.slice(3)]);
          expect(nameStatus(changes).toString("latin1"), args.join(" ")).toBe(
            (await ofGit("--name-status", "-z")).toString("latin1"),
          );
          const full = await patchOf(new PatchWriter(history), changes);
          expect(full.toString("latin1"), args.join(" ")).toBe(
            (await ofGit("--full-index")).toString("latin1"),
          );
          const short = await patchOf(new PatchWriter(history, { abbreviation: 7, context: 1 }), changes);
          expect(short.toString("latin1")).toBe((await ofGit("--abbrev=7", "-U1")).toString("latin1"));
          const stats: FileStat[] = [];
          for await (const stat of fileStats(history, changes)) stats.push(stat);
          const width = 40 + random.integer(80);
          expect(
            numstatText(stats) + statText(stats, width) + shortstatText(stats) + summaryText(changes),
          ).toBe(
            // In git's order, whatever the options' is.
            (await ofGit("--numstat", `--stat=${width}`, "--shortstat", "--summary")).toString("latin1"),
          );
        }
      }

      async function treeOf(name: string): Promise<string> {
        const links = await history.links(commitOf.get(name) as string);
        return links.tree;
      }
    });
  });
}

/** `git diff --numstat`. */
const numstatText = (stats: readonly FileStat[]): string =>
  stats
    .map(({ change, added, deleted, isBinary }) => {
      const counts = isBinary ? "-\t-" : `${added}\t${deleted}`;
      return `${counts}\t${shownName(change)}\n`;
    })
    .join("");
