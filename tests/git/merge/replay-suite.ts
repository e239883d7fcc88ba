import { describe, expect, it } from "vitest";
import { History } from "#core/git/history/history";
import { cherryPick } from "#core/git/merge/cherry-pick";
import { mergeInStyle } from "#core/git/merge/merge-styles";
import { packOfNew } from "#core/git/merge/new-objects";
import { rebase } from "#core/git/merge/rebase";
import {
  changeTree,
  type GeneratedCommit,
  type GeneratedTree,
  writeCommits,
} from "#tests/git/diff/random-trees";
import { packsIn } from "#tests/git/memory/pack-sets";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { createRandom, type Random } from "#tests/support/random";

/** Who commits again. */
export const committer = {
  name: "Ada Example",
  email: "ada@example.org",
  seconds: 1_700_000_000,
  timezone: "+0100",
};
export const options = { committer };
const config = ["-c", "advice.mergeConflict=false"];

const withoutSubmodules = (tree: GeneratedTree): GeneratedTree =>
  new Map([...tree].filter(([, { mode }]) => mode !== "160000"));

/** A start and two lines of three commits from it, as numbers of commits. */
function twoLines(random: Random, commits: GeneratedCommit[]): { ours: number[]; theirs: number[] } {
  let tree: GeneratedTree = new Map();
  for (let edits = 0; edits < 3; edits++) tree = withoutSubmodules(changeTree(random, tree, 10));
  const start = commits.push({ tree }) - 1;
  const line = () => {
    const numbers: number[] = [];
    for (let length = 0; length < 3; length++) {
      const parent = numbers.at(-1) ?? start;
      const before = (commits[parent] as GeneratedCommit).tree;
      const changed = withoutSubmodules(changeTree(random, before, 2));
      numbers.push(
        commits.push({ tree: changed, parents: [parent], message: `Größe ${length}\n\nbody\n` }) - 1,
      );
    }
    return numbers;
  };
  return { ours: line(), theirs: line() };
}

/** Pairs of lines in a working repository of git, and in a history of ours. */
export async function makeWorld(random: Random, pairs: number) {
  const folder = await temporaryFolder();
  await git(folder, ["init", "-q", "-b", "start", "."]);
  const commits: GeneratedCommit[] = [];
  const lines = Array.from({ length: pairs }, () => twoLines(random, commits));
  await writeCommits(folder, commits);
  const packs = await packsIn(folder, "sha1");
  const idOf = (number: number | undefined) => gitText(folder, ["rev-parse", `c${number}`]);
  /** What HEAD is after some commands; undefined where the last of them stopped at a conflict. */
  const headAfter = async (at: string, command: string[], abort: string[]) => {
    await git(folder, ["checkout", "-q", "-f", "--detach", at]);
    await git(folder, ["clean", "-q", "-f", "-d", "-x"]);
    try {
      await git(folder, [...config, ...command]);
    } catch {
      const isEmpty = (await gitText(folder, ["status", "--porcelain", "-uno"])) === "";
      await git(folder, abort).catch(() => undefined);
      return isEmpty ? "empty" : "conflict";
    }
    return gitText(folder, ["rev-parse", "HEAD"]);
  };
  return { folder, lines, idOf, headAfter, history: new History(packs, { timeMs: 300_000 }) };
}

const told = (outcome: { kind: string; tip?: string }): string => outcome.tip ?? outcome.kind;

/** Commits that git and we do again, on so many pairs of lines. */
export function describeReplays(pairs: { readonly replayed: number; readonly styles: number }): void {
  describe("commits done again", () => {
    const random = createRandom();

    it(`rebase and cherryPick write the commits that git writes (SEED=${random.seed})`, async () => {
      const { lines, idOf, headAfter, history } = await makeWorld(random, pairs.replayed);
      for (const { ours, theirs } of lines) {
        const [tip, head, one] = [await idOf(ours[2]), await idOf(theirs[2]), await idOf(theirs[1])];
        const rebased = await headAfter(head, ["rebase", "-q", tip], ["rebase", "--abort"]);
        expect(told(await rebase(history, head, tip, options))).toBe(rebased);
        const picked = await headAfter(tip, ["cherry-pick", one], ["cherry-pick", "--abort"]);
        expect(told(await cherryPick(history, one, tip, options))).toBe(picked);
        expect(await rebase(history, head, one, options)).toEqual({ kind: "done", tip: head });
      }
    });

    it(`each style gives the graph that it promises, in a pack that git takes (SEED=${random.seed})`, async () => {
      const { folder, lines, idOf, history } = await makeWorld(random, pairs.styles);
      for (const { ours, theirs } of lines) {
        const [base, head, start] = [
          await idOf(ours[0]),
          await idOf(theirs[0]),
          await gitText(folder, ["rev-parse", `c${ours[0]}~1`]),
        ];
        const names = { ours: "main", theirs: "topic" };
        const request = { base, head, names, author: committer, committer, message: "Merge topic" };
        const outcomes: Record<string, string> = {};
        for (const style of ["merge", "squash", "rebase", "rebase-merge", "fast-forward-only"] as const) {
          const outcome = await mergeInStyle(history, style, request);
          outcomes[style] = outcome.kind;
          if (outcome.kind !== "done") continue;
          const pack = await packOfNew(history, [outcome.tip]);
          await git(folder, ["index-pack", "--stdin", "--fix-thin", "--strict"], pack.content as Uint8Array);
          const parents = await gitText(folder, ["log", "-1", "--format=%P", outcome.tip]);
          const expected = { merge: `${base} ${head}`, squash: base, rebase: base }[style as "merge"];
          if (expected !== undefined && style !== "rebase") expect(parents).toBe(expected);
          if (style === "rebase-merge") expect(parents.split(" ")[0]).toBe(base);
          await git(folder, ["fsck", "--no-dangling", "--connectivity-only", outcome.tip]);
        }
        expect(outcomes["fast-forward-only"]).toBe("diverged");
        expect(outcomes.squash).toBe(outcomes.merge);
        const ahead = { ...request, base: start };
        expect(await mergeInStyle(history, "fast-forward-only", ahead)).toEqual({ kind: "done", tip: head });
        expect(await mergeInStyle(history, "rebase", ahead)).toEqual({ kind: "done", tip: head });
        expect((await mergeInStyle(history, "merge", { ...request, base: head, head: start })).kind).toBe(
          "up-to-date",
        );
      }
    });
  });
}
