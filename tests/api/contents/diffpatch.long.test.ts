import { describe, expect, it } from "vitest";
import { changeTree, type GeneratedTree, writeCommits } from "#tests/git/diff/random-trees";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { apply, makeRepo, second, usePatches } from "./diffpatch-world.ts";

usePatches();

/** Submodules come by a push. */
function withoutSubmodules(tree: GeneratedTree): GeneratedTree {
  return new Map([...tree].filter(([, { mode }]) => mode !== "160000"));
}

describe("repoApplyDiffPatch", () => {
  it("makes the trees that git makes of git's own patches, binary ones too", async () => {
    const random = createRandom();
    const name = await makeRepo();
    const folder = await bareRepository("sha1");
    const trees: GeneratedTree[] = [
      new Map([["f", { mode: "100644", content: Buffer.from("one\ntwo\nthree\n") }]]),
    ];
    while (trees.length < 25)
      trees.push(withoutSubmodules(changeTree(random, trees.at(-1) as GeneratedTree, 8)));
    await writeCommits(
      folder,
      trees.map((tree) => ({ tree })),
    );
    let applied = 0;
    for (let at = 1; at < trees.length; at += 1) {
      const [from, to] = [`c${at - 1}`, `c${at}`];
      const options = ["--binary", "--full-index", "-M", "-C", `-U${random.pick([1, 3, 9])}`];
      const patch = (await git(folder, ["diff", ...options, from, to])).toString();
      if (patch === "") continue;
      const { status, json } = await apply(name, patch);
      expect([random.seed, at, status, json.message ?? ""]).toEqual([random.seed, at, 201, ""]);
      expect([at, json.commit.tree.sha]).toEqual([at, await gitText(folder, ["rev-parse", `${to}^{tree}`])]);
      applied += 1;
    }
    expect(applied).toBeGreaterThan(15);
  });

  it("race: of two patches of one line one wins, and the other is told", async () => {
    const name = await makeRepo();
    const both = await Promise.all(
      [second, second.replace("+2", "+zwei")].map((patch) => apply(name, patch)),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
