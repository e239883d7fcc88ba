import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AttributeFolder, AttributeReader } from "#core/git/archive/attributes";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { fileMode } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { git } from "#tests/git/pack/real-git";
import { createRandom, type Random } from "#tests/support/random";

const parts = [..."aabb//", "*", "*", "**", "**/", "?", "[ab]", "[!a]", "\\a", ".b", "a.b"];
const text = (random: Random, from: readonly string[], most: number) =>
  Array.from({ length: 1 + random.integer(most) }, () => random.pick(from)).join("");

/** Git takes `a**` + `/b` for more than `a*` + `/b` where nothing before the stars is a wildcard (git-differences.md). */
const isOdd = (pattern: string) => pattern.includes("/") && /^[^*?[\\]*[^/*?[\\]\*\*/.test(pattern);

/** Rules that each set an attribute of their own, and one that all of them set to their number. */
const rulesOf = (random: Random, first: number) =>
  Array.from({ length: 40 }, (_, at) => {
    const pattern = text(random, parts, 6);
    return isOdd(pattern) ? "" : `${pattern} r${first + at} last=${first + at}\n`;
  }).join("");

/** A path of some folders `a` and `b`; with a slash at its end a folder. */
const pathOf = (random: Random) =>
  `${text(random, ["a/", "b/", "ab/", "a.b/"], 4)}${text(random, ["a", "b", ".b"], 3)}${random.pick(["", "/"])}`;

async function gitSays(files: Readonly<Record<string, string>>, paths: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-attributes-"));
  try {
    await git(folder, ["init", "-q"]);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(folder, path), { recursive: true });
      await writeFile(join(folder, path, ".gitattributes"), content);
    }
    const lines = String(await git(folder, ["check-attr", "--all", "--stdin"], `${paths.join("\n")}\n`));
    const said = new Map(paths.map((path) => [path, new Map<string, string>()]));
    for (const line of lines.split("\n").filter((one) => one !== "")) {
      const [path = "", name = "", state = ""] = line.split(": ");
      said.get(path)?.set(name, state);
    }
    return said;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("AttributeReader", () => {
  it.each(Array.from({ length: 6 }, () => createRandom()))(
    "says of paths what git check-attr says, by patterns of all kinds in files of three folders (SEED=$seed)",
    async (random) => {
      const files = { "": rulesOf(random, 0), "a/": rulesOf(random, 40), "a/b/": rulesOf(random, 80) };
      const blobs = Object.values(files).map((one): GitObject => ({ type: "blob", data: Buffer.from(one) }));
      const history = new History(await packsOf("sha1", blobs));
      const names = [...Array.from({ length: 120 }, (_, at) => `r${at}`), "last"];
      const reader = new AttributeReader(history, { obeyed: names });
      const entered = new Map<string, AttributeFolder>();
      const enter = async (path: string, above: AttributeFolder | undefined) => {
        const known = entered.get(path);
        if (known !== undefined) return known;
        const own = Object.keys(files).indexOf(path);
        const id = objectIdOf("sha1", "blob", blobs[own]?.data ?? Buffer.alloc(0));
        const folder = await reader.enter(
          path,
          own < 0 ? [] : [{ mode: fileMode, path: ".gitattributes", id }],
          above,
        );
        entered.set(path, folder);
        return folder;
      };
      const paths = [...new Set(Array.from({ length: 60 }, () => pathOf(random)))];
      const theirs = await gitSays(files, paths);
      for (const path of paths) {
        const isFolder = path.endsWith("/");
        const folders = path.replace(/\/$/, "").split("/").slice(0, -1);
        let folder = await enter("", undefined);
        for (const one of folders) folder = await enter(`${folder.path}${one}/`, folder);
        const ours = await reader.of(folder, path.replace(/\/$/, ""), isFolder);
        const shown = new Map(
          [...ours].map(([name, state]) => [name, state === true ? "set" : String(state)]),
        );
        expect(new Map([...shown].sort()), path).toEqual(new Map([...(theirs.get(path) ?? [])].sort()));
      }
    },
  );
});
