import { describe, expect, it } from "vitest";
import { History } from "#core/git/history/history";
import { cherryPick } from "#core/git/merge/cherry-pick";
import { mergeInStyle } from "#core/git/merge/merge-styles";
import { newObjects, packOfNew } from "#core/git/merge/new-objects";
import { writeTag } from "#core/git/merge/write-commit";
import { writeCommits } from "#tests/git/diff/random-trees";
import { packsIn } from "#tests/git/memory/pack-sets";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { committer, describeReplays, makeWorld, options } from "./replay-suite.ts";

describeReplays({ replayed: 2, styles: 1 });

describe("commits done again", () => {
  it("tells what can't be done: changes in conflict, unrelated histories", async () => {
    const folder = await temporaryFolder();
    await git(folder, ["init", "-q", "."]);
    const file = (text: string) => new Map([["a", { mode: "100644" as const, content: Buffer.from(text) }]]);
    await writeCommits(folder, [{ tree: file("1\n") }, { tree: file("2\n") }]);
    const packs = await packsIn(folder, "sha1");
    const history = new History(packs);
    const ids = (await gitText(folder, ["rev-parse", "c0", "c1"])).split("\n");
    const [first = "", other = ""] = ids;
    expect((await cherryPick(history, other, first, options)).kind).toBe("conflict");
    const names = { ours: "main", theirs: "other" };
    const request = { base: first, head: other, names, author: committer, committer, message: "m" };
    expect(await mergeInStyle(history, "merge", request)).toEqual({ kind: "unrelated" });
  });

  it("writes commits and tags with signatures where git reads them", async () => {
    const { folder, lines, idOf, history } = await makeWorld(createRandom(), 1);
    const head = await idOf(lines[0]?.theirs[0]);
    const base = await gitText(folder, ["rev-parse", `${head}~1`]);
    const sign = () => "-----BEGIN SSH SIGNATURE-----\nabc\n-----END SSH SIGNATURE-----\n";
    const names = { ours: "a", theirs: "b" };
    const request = { base, head, names, author: committer, committer, message: "Zusammengeführt", sign };
    const merged = await mergeInStyle(history, "merge", request);
    const tip = merged.kind === "done" ? merged.tip : "";
    const tag = await writeTag(history, {
      ...{ name: "v1", object: tip, type: "commit", tagger: committer, message: "eins", sign },
    });
    await git(
      folder,
      ["index-pack", "--stdin", "--fix-thin"],
      (await packOfNew(history, [tag])).content as Uint8Array,
    );
    expect((await newObjects(history, [tag])).map(({ type }) => type)).toEqual(["commit", "tag"]);
    const raw = await gitText(folder, ["cat-file", "commit", tip]);
    expect(raw).toContain(
      "gpgsig -----BEGIN SSH SIGNATURE-----\n abc\n -----END SSH SIGNATURE-----\n\nZusammen",
    );
    expect(await gitText(folder, ["cat-file", "tag", tag])).toContain(
      "\n\neins\n-----BEGIN SSH SIGNATURE-----",
    );
  });
});
