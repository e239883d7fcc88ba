import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ObjectFormat, objectIdLength } from "#core/git/format/object-format";
import { serveGit } from "#tests/api/repository/serve-git";
import {
  changeTree,
  type GeneratedCommit,
  type GeneratedTree,
  moveFolder,
  writeCommits,
} from "#tests/git/diff/random-trees";
import { runGit } from "#tests/git/http/real-git";
import { bareRepository, gitText } from "#tests/git/pack/real-git";
import { makeApi, type TestApi } from "#tests/support/api";
import { createRandom, type Random } from "#tests/support/random";

/** Of a head with one commit, all of these make the tree of one three-way merge. */
const styles = ["merge", "squash", "rebase", "rebase-merge"];

/** The places of a commit, and of two that follow it on branches of their own. */
function fork(random: Random, commits: GeneratedCommit[]): readonly [number, number, number] {
  let tree: GeneratedTree = new Map();
  for (let edits = 0; edits < 4; edits++) tree = changeTree(random, tree, 8);
  const start = commits.push({ tree }) - 1;
  const grow = () => {
    const moved = random.chance(0.3) ? moveFolder(random, tree) : tree;
    return commits.push({ tree: changeTree(random, moved, random.pick([1, 2, 4])), parents: [start] }) - 1;
  };
  return [start, grow(), grow()];
}

async function mergeOfGit(folder: string, base: string, head: string, { renames = true } = {}) {
  const settings = ["-c", `merge.renames=${renames}`];
  const { code, stdout } = await runGit(folder, [...settings, "merge-tree", "--write-tree", base, head]);
  return code === 0 ? stdout.toString("latin1").split("\n")[0] : undefined;
}

/**
 * Merges random requests and compares the base's tree with that of `git merge-tree`: each in one of the styles in turn,
 * or, `isThorough`, in every style, each into a base of its own.
 */
export function testMergesOfPulls(format: ObjectFormat, pairs: number, isThorough = false): void {
  describe(`requests between random branches (${format})`, () => {
    const random = createRandom();
    let api: TestApi;
    beforeAll(async () => {
      api = await makeApi({ simulation: false });
    });
    afterAll(() => api.stop());

    it(`merge to git's trees, and conflict where git does (SEED=${random.seed})`, {
      timeout: 3_600_000,
    }, async () => {
      const alice = await api.makeUser({ name: "alice" });
      const body = { name: "oracle", object_format_name: format };
      await api.call("POST", "/user/repos", { as: alice, body });
      const commits: GeneratedCommit[] = [];
      const forks = Array.from({ length: pairs }, () => fork(random, commits));
      const folder = await bareRepository(format);
      await writeCommits(folder, commits, objectIdLength(format));
      const served = await serveGit(api);
      const stylesOf = (at: number) => (isThorough ? styles : [styles[at % styles.length] as string]);
      const starts = forks.map(([start], at) => `refs/heads/c${start}:refs/heads/start/${at}`);
      const copies = isThorough ? styles.map((style) => `refs/heads/*:refs/heads/${style}/*`) : [];
      for (const refs of [["refs/heads/*:refs/heads/*"], ...copies.map((one) => [one]), starts]) {
        await gitText(folder, ["push", "-q", served.url("alice/oracle", alice), ...refs]);
      }
      for (const [at, [, base, head]] of forks.entries()) {
        const treeOfHead = (await gitText(folder, ["rev-parse", `c${head}^{tree}`])).trim();
        expect(await merged(api, alice, "fast-forward-only", `start/${at}`, `c${head}`)).toBe(treeOfHead);
        expect(await merged(api, alice, "fast-forward-only", `start/${at}`, `c${base}`)).toBeUndefined();
      }
      let clean = 0;
      const [differing, withoutRenames]: [string[], string[]] = [[], []];
      for (const [at, [, base, head]] of forks.entries()) {
        const expected = await mergeOfGit(folder, `c${base}`, `c${head}`);
        const trees = new Set<string | undefined>();
        for (const style of stylesOf(at)) {
          const into = isThorough ? `${style}/c${base}` : `c${base}`;
          trees.add(await merged(api, alice, style, into, `c${head}`));
        }
        expect(trees.size, `trees of c${base} and c${head}`).toBe(1);
        if (expected !== undefined) clean += 1;
        if (trees.has(expected)) continue;
        const name = `c${base} and c${head}`;
        differing.push(name);
        const plain = await mergeOfGit(folder, `c${base}`, `c${head}`, { renames: false });
        if (plain === expected) withoutRenames.push(name);
      }
      await served.stop();
      // Files as similar to one as to another are paired by git in the order in which it read folders.
      expect(withoutRenames, "differ although no rename decides").toEqual([]);
      const few = Math.ceil(pairs / 50);
      expect(differing.length, `${differing} of ${pairs}, ${clean} of them clean`).toBeLessThanOrEqual(few);
      if (pairs >= 100) expect(clean).toBeGreaterThan(pairs / 10);
    });
  });
}

/** The tree of the base after the merge; undefined when it conflicts, which must leave the base where it was. */
async function merged(
  api: TestApi,
  as: Awaited<ReturnType<TestApi["makeUser"]>>,
  style: string,
  base: string,
  head: string,
): Promise<string | undefined> {
  const path = "/repos/alice/oracle";
  const tipOf = async () =>
    (await api.call("GET", `${path}/branches/${encodeURIComponent(base)}`, { as })).json.commit.id;
  const before = await tipOf();
  const opened = await api.call("POST", `${path}/pulls`, { as, body: { title: head, base, head } });
  const to = `${path}/pulls/${opened.json.number}/merge`;
  const { status } = await api.call("POST", to, { as, body: { Do: style } });
  const after = await tipOf();
  if (status !== 200) {
    expect([status, after]).toEqual([expect.toSatisfy((one) => one === 405 || one === 409), before]);
    return undefined;
  }
  const { json } = await api.call("GET", `${path}/git/commits/${after}`, { as });
  return json.commit.tree.sha;
}
