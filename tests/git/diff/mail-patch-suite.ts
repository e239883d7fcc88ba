import { describe, expect, it } from "vitest";
import { mailPatches } from "#core/git/diff/mail/mail-patch";
import type { ObjectFormat } from "#core/git/format/object-format";
import { History } from "#core/git/history/history";
import { logPage } from "#core/git/history/log";
import { packsIn } from "#tests/git/memory/pack-sets";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { changeTree, type GeneratedCommit, type GeneratedTree, writeCommits } from "./random-trees.ts";

const messages = [
  "Plain subject",
  "Plain subject\n\nA body of\ntwo lines.\n\n\n- and a list\n",
  "A subject that is so long that it does not fit on one line of a mail header, so it has to be folded somewhere\n",
  "Größe ändern, damit alles paßt und der Betreff so lang wird, daß er umbrochen werden muß, und noch mehr\n\nÜber\n",
  "Two lines\nof a subject\n\nBody with ümlaut  \n",
  "\n\nblank before\n",
  "odd =?UTF-8?q? in it = _ ?\n",
];

/** Git may write deltas of binary files, and its deflate may be another: what is applied counts. */
const withoutBinaries = (patches: Buffer): string =>
  patches
    .toString("latin1")
    .replace(/^(GIT binary patch\n)(?:(?:literal|delta) \d+\n(?:[A-Za-z].+\n)*\n){2}/gm, "$1");

/** Compares commits as mails with those of `git format-patch`. */
export function testMailPatches(format: ObjectFormat, { commits = 12 } = {}): void {
  describe(`mailPatches of random commits (${format})`, () => {
    const random = createRandom();
    it(`are git's, byte for byte (SEED=${random.seed})`, async () => {
      const folder = await bareRepository(format);
      const trees: GeneratedTree[] = [new Map()];
      while (trees.length < commits) trees.push(changeTree(random, trees.at(-1) as GeneratedTree));
      const written = trees.map((tree, at): GeneratedCommit => {
        const message = messages[at % messages.length] as string;
        const parents = at === 0 ? [] : [at - 1];
        return {
          tree,
          message,
          parents,
          author: at % 3 === 0 ? 'Zoë "Z." Ünlü' : at % 3 === 1 ? "A. B. Dot" : "Ada",
        };
      });
      await writeCommits(folder, written);
      const packs = await packsIn(folder, format);
      const history = new History(packs);
      const ids = await gitText(folder, ["rev-parse", "c0", `c${commits - 1}`]);
      const [not = "", tip = ""] = ids.split("\n");
      for (const limit of [1, commits]) {
        const { commits: listed } = await logPage(history, { tips: [tip], not: [not], limit });
        const pieces: Buffer[] = [];
        for await (const piece of mailPatches(history, listed.map(({ id }) => id).toReversed(), {
          signature: "sig",
        }))
          pieces.push(piece);
        const args = ["format-patch", "--stdout", "--full-index", "--signature=sig", "--no-ext-diff"];
        const range = limit === 1 ? ["-1", tip] : [`${not}..${tip}`];
        const expected = await git(folder, [...args, ...range]);
        expect(withoutBinaries(Buffer.concat(pieces))).toBe(withoutBinaries(expected));
        if (limit > 1) continue;
        await git(folder, ["read-tree", `${tip}~1`]);
        await git(
          folder,
          ["apply", "--cached", "--whitespace=nowarn", "--allow-empty"],
          Buffer.concat(pieces),
        );
        expect(await gitText(folder, ["write-tree"])).toBe(
          await gitText(folder, ["rev-parse", `${tip}^{tree}`]),
        );
      }
    });
  });
}
