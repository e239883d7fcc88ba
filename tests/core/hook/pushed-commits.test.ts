import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GitObject } from "#core/git/object/object-type";
import { type ChangedFiles, changedFiles } from "#core/hook/changed-files";
import { commitsSince, newestCommits, type ObjectReader, readCommit } from "#core/hook/pushed-commits";

describe.each(["sha1", "sha256"] as const)("what a push brought, in a %s repository", (format) => {
  let folder: string;
  let reader: ObjectReader;
  const git = (...args: string[]) => gitIn(folder, args);
  const idOf = (name: string) => git("rev-parse", name);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "coldforge-pushed-"));
    git("init", "-q", "--bare", `--object-format=${format}`);
    gitIn(folder, ["fast-import", "--quiet"], history());
    const objects = objectsOf(folder);
    reader = {
      format,
      has: (id) => objects.has(String(id)),
      read: async (target) =>
        objects.get(String(target)) ?? Promise.reject(new Error(`no object ${String(target)}`)),
    };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
    const expected = git("rev-list", tip, `^${base}`).split("\n").filter(Boolean);
    const found = await commitsSince(reader, idOf(base), idOf(tip), 100);
    expect(found.total).toBe(expected.length);
    expect(found.listed.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
    const times = found.listed.map(({ commit }) => commit.committer.seconds);
    if (base !== "skewed" && tip !== "skewed") expect(times).toEqual(times.toSorted((a, b) => b - a));
    const five = await commitsSince(reader, idOf(base), idOf(tip), 5);
    expect(five).toEqual({ listed: found.listed.slice(0, 5), total: found.total });
  });

  it("lists the newest commits of a new branch, at most as many as asked", async () => {
    const all = git("rev-list", "--date-order", "merge").split("\n");
    const four = await newestCommits(reader, idOf("merge"), 4);
    expect(four.listed.map(({ id }) => id)).toEqual(all.slice(0, 4));
    expect((await newestCommits(reader, idOf("m2"), 10)).total).toBe(3);
  });

  it("goes on where a former commit is gone or a history is cut", async () => {
    const cut = { ...reader, has: (id: unknown) => id !== idOf("m6") && reader.has(String(id)) };
    const found = await commitsSince(cut, idOf("m6"), idOf("m9"), 100);
    expect(found.listed.map(({ id }) => id)).toEqual(["m9", "m8", "m7"].map(idOf));
    const { commit } = await readCommit(reader, idOf("m7"));
    expect((await changedFiles(cut, commit)).added).toContain("counter");
  });

  it("refuses to take something else for a commit", async () => {
    await expect(readCommit(reader, idOf("m0^{tree}"))).rejects.toThrow("not a commit");
  });

  it.each(["m0", "m1", "m2", "side1", "side2", "side3", "merge", "empty"])(
    "names the files that %s added, removed and modified, as git does",
    async (name) => {
      const id = idOf(name);
      const { commit } = await readCommit(reader, id);
      const form = ["--root", "-r", "-c", "--no-renames", "--name-status", "--no-commit-id", "-z"];
      const words = gitIn(folder, ["diff-tree", ...form, id]).split("\0");
      const expected = { added: [] as string[], removed: [] as string[], modified: [] as string[] };
      for (let at = 0; at + 1 < words.length; at += 2) {
        const [status = "", path = ""] = [words[at]?.trim(), words[at + 1]];
        expected[status[0] === "A" ? "added" : status[0] === "D" ? "removed" : "modified"].push(path);
      }
      expect(sorted(await changedFiles(reader, commit))).toEqual(sorted(expected));
    },
  );
});

function sorted(files: ChangedFiles) {
  return Object.fromEntries(Object.entries(files).map(([name, paths]) => [name, paths.toSorted()]));
}

function gitIn(folder: string, args: string[], input = ""): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", HOME: folder };
  return execFileSync("git", args, { cwd: folder, input, env, encoding: "utf8" }).trimEnd();
}

/** Every object of a repository by its id, as git itself reads them. */
function objectsOf(folder: string): Map<string, GitObject> {
  const dump = execFileSync("git", ["cat-file", "--batch-all-objects", "--batch"], { cwd: folder });
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
