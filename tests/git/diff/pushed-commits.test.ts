import { beforeAll, describe, expect, it } from "vitest";
import { type ChangedPaths, changedPaths } from "#core/git/diff/changed-paths";
import type { GitObject } from "#core/git/format/object-type";
import { History } from "#core/git/history/history";
import { logPage } from "#core/git/history/log";
import { claimedObjects } from "#tests/git/memory/pack-sets";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";

describe.each(["sha1", "sha256"] as const)("what a push brought, in a %s repository", (format) => {
  let folder: string;
  let objects: Map<string, GitObject>;
  let ids: Map<string, string>;
  const idOf = (name: string) => ids.get(name) ?? "";
  const open = (without?: string) => {
    const there = new Map([...objects].filter(([id]) => id !== without));
    return new History(claimedObjects(format, there), { allowsCuts: true });
  };

  beforeAll(async () => {
    folder = await bareRepository(format, "file");
    await git(folder, ["fast-import", "--quiet"], history());
    objects = await objectsOf(folder);
    const named = await gitText(folder, ["for-each-ref", "--format=%(refname:short) %(objectname)"]);
    ids = new Map(named.split("\n").map((line) => line.split(" ") as [string, string]));
  });

  it.each([
    ["m5", "m9"],
    ["m9", "m5"],
    ["side3", "merge"],
    ["m9", "merge"],
    ["m0", "merge"],
    ["merge", "merge"],
    ["other", "merge"],
    ["side3", "other"],
    ["skewed", "merge"],
    ["m9", "skewed"],
  ])("lists the commits of %s..%s newest first and counts them all", async (base, tip) => {
    const expected = (await gitText(folder, ["rev-list", tip, `^${base}`])).split("\n").filter(Boolean);
    const range = { tips: [idOf(tip)], not: [idOf(base)], countAll: true };
    const found = await logPage(open(), { ...range, limit: 100 });
    expect(found.total).toBe(expected.length);
    expect(found.commits.map(({ id }) => id)).toEqual(expected);
    const five = await logPage(open(), { ...range, limit: 5 });
    expect([five.commits, five.total]).toEqual([found.commits.slice(0, 5), found.total]);
  });

  it("goes on where a former commit is gone or a history is cut", async () => {
    const cut = open(idOf("m6"));
    expect(cut.has(idOf("m6"))).toBe(false);
    const found = await logPage(cut, { tips: [idOf("m9")], limit: 100 });
    expect(found.commits.map(({ id }) => id)).toEqual(["m9", "m8", "m7"].map(idOf));
    const { commit } = await cut.commit(idOf("m7"));
    expect((await changedPaths(cut, commit)).added).toContain("counter");
  });

  it("refuses to take something else for a commit", async () => {
    const tree = await gitText(folder, ["rev-parse", "m0^{tree}"]);
    await expect(open().commit(tree)).rejects.toThrow("not a commit");
  });

  it.each(["m0", "m1", "m2", "side1", "side2", "side3", "merge", "empty"])(
    "names the files that %s added, removed and modified, as git does",
    async (name) => {
      const id = idOf(name);
      const opened = open();
      const { commit } = await opened.commit(id);
      const form = ["--root", "-r", "-c", "--no-renames", "--name-status", "--no-commit-id", "-z"];
      const words = (await gitText(folder, ["diff-tree", ...form, id])).split("\0");
      const expected = { added: [] as string[], removed: [] as string[], modified: [] as string[] };
      for (let at = 0; at + 1 < words.length; at += 2) {
        const [status = "", path = ""] = [words[at]?.trim(), words[at + 1]];
        expected[status[0] === "A" ? "added" : status[0] === "D" ? "removed" : "modified"].push(path);
      }
      expect(sorted(await changedPaths(opened, commit))).toEqual(sorted(expected));
    },
  );
});

function sorted(files: ChangedPaths) {
  return Object.fromEntries(Object.entries(files).map(([name, paths]) => [name, paths.toSorted()]));
}

/** Every object of a repository by its id, as git itself reads them. */
async function objectsOf(folder: string): Promise<Map<string, GitObject>> {
  const dump = await git(folder, ["cat-file", "--batch-all-objects", "--batch"]);
  const objects = new Map<string, GitObject>();
  for (let at = 0; at < dump.length; ) {
    const end = dump.indexOf("\n", at);
    const [id = "", type = "", size] = dump.toString("latin1", at, end).split(" ");
    at = end + 1 + Number(size) + 1;
    objects.set(id, { type: type as GitObject["type"], data: dump.subarray(end + 1, at - 1) });
  }
  return objects;
}

/** A history for git fast-import: a main line, a side line with odd names, a merge, and commits with wrong clocks. */
function history(): string {
  const lines: string[] = [];
  const commit = (name: string, seconds: number, parents: string[], changes: string[]) => {
    lines.push(`commit refs/heads/${name}`, `committer A <a@example.com> ${seconds} +0200`, "data 1", "x");
    parents.forEach(
      (parent, index) => void lines.push(`${index === 0 ? "from" : "merge"} refs/heads/${parent}`),
    );
    lines.push(...changes, "");
  };
  const file = (path: string, text: string, mode = "100644") => [
    `M ${mode} inline ${path}`,
    `data ${Buffer.byteLength(text)}`,
    text,
  ];
  commit(
    "m0",
    1000,
    [],
    [...file("a", "1"), ...file("dir/b", "1"), ...file("dir/deep/c", "1"), ...file("same", "s")],
  );
  for (let at = 1; at < 10; at += 1) {
    const extra =
      at === 1 ? ["D dir/b", ...file("dir/deep/d", "1")] : at === 2 ? file("a", "3", "100755") : [];
    commit(`m${at}`, 1000 + at * 10, [`m${at - 1}`], [...file("counter", String(at)), ...extra]);
  }
  commit("side1", 1015, ["m1"], [...file("größe", "1"), ...file('"with space\\tand"', "1")]);
  commit("side2", 1025, ["side1"], ["D dir/deep/c", "D dir/deep/d", ...file("dir/deep", "a file now")]);
  commit("side3", 1105, ["side2"], [...file("same", "changed"), ...file("a", "target", "120000")]);
  commit("merge", 1120, ["m9", "side3"], [...file("a", "merged by hand"), ...file("counter", "9")]);
  commit("other", 5000, [], file("unrelated", "1"));
  commit("skewed", 10, ["m7"], file("skew", "1"));
  commit("empty", 6000, [], []);
  return `${lines.join("\n")}\n`;
}
