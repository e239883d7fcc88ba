import { beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { History } from "#core/git/history/history";
import { findRevision } from "#core/git/history/revision";
import { abbreviate, idsWithPrefix } from "#core/git/history/short-id";
import type { PackSet } from "#core/git/pack/pack-set";
import type { GitRepository } from "#core/git/repository";
import { repositoryIn } from "#tests/git/memory/repository";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";

const commit = (name: string, number: number, parents: string[]) =>
  [
    `commit refs/heads/${name}`,
    `committer A <a@example.org> ${1000 + number} +0000`,
    "data 1",
    "x",
    ...parents.map((parent, at) => `${at === 0 ? "from" : "merge"} refs/heads/${parent}`),
    "M 100644 inline file",
    `data ${String(number).length}`,
    String(number),
    "",
  ].join("\n");

/** Names of commits as git reads them. */
export function describeRevisions(formats: readonly ObjectFormat[]): void {
  describe.each(formats)("findRevision in a %s repository", (format) => {
    let folder: string;
    let packs: PackSet;
    let repository: GitRepository;

    beforeAll(async () => {
      folder = await bareRepository(format, "file");
      const history = [commit("one", 1, []), commit("side", 2, ["one"]), commit("main", 3, ["one"])];
      for (let number = 4; number < 400; number++) history.push(commit("main", number, []));
      history.push(commit("main", 400, ["side"]).replace("from refs", "merge refs"));
      await git(folder, ["fast-import", "--quiet"], history.join("\n"));
      await git(folder, ["tag", "-a", "-m", "t", "v1", "main"]);
      await git(folder, ["tag", "-a", "-m", "t", "outer", "v1"]);
      await git(folder, ["branch", "both", "one"]);
      await git(folder, ["tag", "both", "side"]);
      await git(folder, ["tag", "a-tree", "main^{tree}"]);
      repository = await repositoryIn(folder, format);
      packs = await repository.packs();
    });

    const find = (text: string, as?: "commit" | "tree") =>
      findRevision(new History(packs), repository, text, as);
    const idOf = async (text: string) => {
      const found = await find(text);
      return found.kind === "found" ? found.id : found.kind;
    };

    it.each([
      "HEAD",
      "main",
      "v1",
      "outer",
      "v1^{}",
      "v1^0",
      "outer^{commit}",
      "outer^{tree}",
      "outer^{tag}",
      "refs/heads/main",
      "heads/main",
      "tags/v1",
      "main^",
      "main^2",
      "main^2~1",
      "main~10",
      "v1~3^",
      "main^^^",
      "HEAD~0",
      "a-tree",
      "main^2^{tree}",
    ])("%s is what git says it is", async (text) => {
      expect(await idOf(text)).toBe(await gitText(folder, ["rev-parse", "--verify", text]));
    });

    it("takes a branch before a tag of the same name, and peels on demand", async () => {
      expect(await idOf("both")).toBe(await gitText(folder, ["rev-parse", "refs/heads/both"]));
      const peeled = await find("outer", "commit");
      expect(peeled).toEqual({
        kind: "found",
        type: "commit",
        ref: "refs/tags/outer",
        id: await gitText(folder, ["rev-parse", "main"]),
      });
      expect(await find("a-tree", "commit")).toEqual({ kind: "unknown" });
    });

    it.each([
      "",
      "nope",
      "main^3",
      "main~401",
      "main^{x}",
      "main^{blob}",
      "^main",
      "main~x",
      "abc",
      "..",
      "main:file",
    ])("%j is unknown", async (text) => expect(await find(text)).toEqual({ kind: "unknown" }));

    it("takes whole ids in any case, and refuses ids of nothing", async () => {
      const id = await gitText(folder, ["rev-parse", "main~5"]);
      expect(await idOf(id.toUpperCase())).toBe(id);
      expect(await idOf("0".repeat(id.length))).toBe("unknown");
    });

    it("resolves short ids as git does, tells candidates of ambiguous ones, abbreviates to what is unique", async () => {
      const all = (await gitText(folder, ["cat-file", "--batch-all-objects", "--batch-check"])).split("\n");
      const ids = all.map((line) => line.split(" ")[0] as string).toSorted();
      let ambiguous = 0;
      for (const [at, id] of ids.entries()) {
        const shared = (other: string) => {
          let length = 0;
          while (id[length] === other[length]) length += 1;
          return length;
        };
        const unique = 1 + Math.max(shared(ids[at - 1] ?? "x"), shared(ids[at + 1] ?? "x"));
        expect(abbreviate(packs, id, 4)).toBe(id.slice(0, Math.max(4, unique)));
        expect(await idOf(id.slice(0, Math.max(4, unique)))).toBe(id);
        if (unique <= 4) continue;
        const prefix = id.slice(0, 4);
        ambiguous += 1;
        expect(await find(prefix)).toEqual({
          kind: "ambiguous",
          candidates: ids.filter((one) => one.startsWith(prefix)),
        });
      }
      expect(idsWithPrefix(packs, "", 10_000)).toEqual(ids);
      expect(ambiguous).toBeGreaterThan(0);
    });

    it("settles a short id by the kind that is asked for, as git does", async () => {
      const all = (await gitText(folder, ["cat-file", "--batch-all-objects", "--batch-check"])).split("\n");
      const commits = all.filter((line) => line.includes(" commit ")).map((line) => line.slice(0, 4));
      const shared = commits.find(
        (prefix) => all.filter((line) => line.startsWith(prefix)).length > 1,
      ) as string;
      const expected = await gitText(folder, ["rev-parse", "--verify", `${shared}^{commit}`]).catch(
        () => "ambiguous",
      );
      const found = await find(shared, "commit");
      expect(found.kind === "found" ? found.id : found.kind).toBe(expected);
    });
  });
}
