import { describe, expect, it } from "vitest";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import {
  directoryMode,
  executableMode,
  fileMode,
  serializeTree,
  symlinkMode,
  type TreeEntry,
} from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { PackSet } from "#core/git/pack/pack-set";
import { countTree } from "#core/language/internal/count-tree";
import { createRandom, type Random } from "#tests/support/random";

/** A folder of files: texts, or modes with texts, by name. */
interface Folder {
  readonly [name: string]: string | { readonly mode: number; readonly text: string } | Folder;
}

class CountedReads extends History {
  readonly trees: ObjectId[] = [];

  /** However slow the machine is, no count is cut. */
  override get elapsedMs(): number {
    return 0;
  }

  override tree(id: ObjectId): Buffer | Promise<Buffer> {
    this.trees.push(id);
    return super.tree(id);
  }
}

const newHistory = (format: ObjectFormat = "sha1") => new CountedReads(new PackSet(format, []));

function addTree(history: History, folder: Folder): ObjectId {
  const entries = Object.entries(folder).map(([path, content]): TreeEntry => {
    const blob = (mode: number, text: string) => ({ path, mode, id: history.add("blob", Buffer.from(text)) });
    if (typeof content === "string") return blob(fileMode, content);
    if (typeof content.mode === "number") return blob(content.mode, String(content.text));
    return { path, mode: directoryMode, id: addTree(history, content as Folder) };
  });
  return history.add("tree", serializeTree(entries));
}

const names = ["a.ts", "b.go", "c.py", "d.inc", "README.md", "e.min.js", "lib", "src", "vendor", "docs"];
const attributes = [
  "*.inc linguist-language=Pascal",
  "vendor/** -linguist-vendored",
  "*.go linguist-generated",
  "a.ts linguist-detectable=false",
  "[attr]ours linguist-vendored=false\n*.js ours",
];

function randomFolder(random: Random, depth: number): Folder {
  const folder: Record<string, Folder[string]> = {};
  for (const name of random.some(names, 8)) folder[name] = randomEntry(random, name, depth);
  if (random.chance(0.2)) folder[".gitattributes"] = random.some(attributes, 3).join("\n");
  return folder;
}

function randomEntry(random: Random, name: string, depth: number): Folder[string] {
  const text = "x".repeat(1 + random.integer(50));
  if (depth > 0 && (!name.includes(".") || random.chance(0.05))) return randomFolder(random, depth - 1);
  return random.chance(0.9) ? text : { mode: random.pick([executableMode, symlinkMode]), text };
}

/** The same with some entries replaced, added or gone, at any depth. */
function changed(random: Random, folder: Folder, depth: number): Folder {
  const made: Record<string, Folder[string]> = { ...folder };
  for (const name of random.some([...names, ...Object.keys(folder)], 3)) {
    const before = made[name];
    const isFolder = typeof before === "object" && typeof before.mode !== "number";
    if (isFolder && random.chance(0.6)) made[name] = changed(random, before as Folder, depth - 1);
    else if (random.chance(0.3)) delete made[name];
    else if (name !== ".gitattributes") made[name] = randomEntry(random, name, depth);
  }
  if (random.chance(0.15)) made[".gitattributes"] = random.some(attributes, 2).join("\n");
  return made;
}

describe("counting languages on top of an earlier count (B-09)", () => {
  it.each(Array.from({ length: 25 }, () => createRandom()))(
    "finds what a count of the whole finds, whatever changed: seed $seed",
    async (random) => {
      const format = random.pick(["sha1", "sha256"] as const);
      const history = newHistory(format);
      let folder = randomFolder(random, 4);
      let counted = { tree: addTree(history, folder), sizes: (await countAll(history, folder)).sizes };
      for (let step = 0; step < 8; step += 1) {
        folder = changed(random, folder, 4);
        const tree = addTree(history, folder);
        const onTop = await countTree(history, tree, counted);
        expect(onTop).toEqual(await countAll(history, folder));
        counted = { tree, sizes: onTop.sizes };
      }
    },
  );

  it("reads the changed folders alone, of both trees", async () => {
    const history = newHistory();
    const folders = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `folder-${at}`,
        { "a.ts": `${at}`, inner: { "b.go": `${at}` } },
      ]),
    );
    const before = { tree: addTree(history, folders), sizes: (await countAll(history, folders)).sizes };
    const after = { ...folders, "folder-7": { "a.ts": "longer", inner: { "b.go": "7" } } };
    const tree = addTree(history, after);
    history.trees.length = 0;
    const { sizes } = await countTree(history, tree, before);
    expect(new Set(history.trees).size).toBe(4);
    expect(sizes).toEqual((await countAll(history, after)).sizes);
  });
});

const countAll = (history: History, folder: Folder) => countTree(history, addTree(history, folder));
