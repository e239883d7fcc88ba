import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { writeArchive } from "#core/git/archive/archive";
import { type AttributeFolder, AttributeReader } from "#core/git/archive/attributes";
import type { FormatContext } from "#core/git/archive/commit-format";
import { substituteFormats } from "#core/git/archive/substitute";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import {
  directoryMode,
  fileMode,
  parseTree,
  serializeTree,
  symlinkMode,
  type TreeEntry,
} from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { repositoryIn } from "#tests/git/memory/repository";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";
import { gitArchive } from "./archive-suite.ts";
import { readZip } from "./read-zip.ts";

const format = "sha1";
const blobOf = (text: string): GitObject => ({ type: "blob", data: Buffer.from(text) });
const treeOf = (entries: TreeEntry[]): GitObject => ({ type: "tree", data: serializeTree(entries) });
const idOf = ({ type, data }: GitObject) => objectIdOf(format, type, data);

/** Some objects, the last of them a tree. */
async function openedWith(objects: GitObject[], timeMs = 25_000) {
  const history = new History(await packsOf(format, objects), { timeMs });
  return { history, tree: idOf(objects.at(-1) as GitObject) };
}

/** An archive of the last of some objects, a tree. */
async function archived(objects: GitObject[], one: "zip" | "tar", timeMs = 25_000): Promise<Buffer> {
  const { history, tree } = await openedWith(objects, timeMs);
  return buffer(writeArchive(history, { tree }, { format: one }));
}

describe("writeArchive of hostile trees", () => {
  it("takes a file 2,000 folders below, as deep as git goes", async () => {
    const objects = [blobOf("deep\n")];
    let below: TreeEntry = { path: "f", mode: fileMode, id: idOf(objects[0] as GitObject) };
    for (let level = 0; level < 2_000; level += 1) {
      const folder = treeOf([below]);
      objects.push(folder);
      below = { path: "d", mode: directoryMode, id: idOf(folder) };
    }
    const { members } = readZip(await archived(objects, "zip"));
    expect(members.length).toBe(2_000);
  });

  it("refuses a tree that unpacks to billions of files before the first byte, after reading each tree once", async () => {
    const objects = [blobOf("x")];
    for (let level = 0; level < 40; level++) {
      const below = objects.at(-1) as GitObject;
      const mode = below.type === "blob" ? fileMode : directoryMode;
      objects.push(
        treeOf(Array.from({ length: 10 }, (_, at) => ({ mode, path: `e${at}`, id: idOf(below) }))),
      );
    }
    await expect(archived(objects, "tar")).rejects.toMatchObject({ code: "too-large" });
  });

  it("refuses names that would leave the folder it is unpacked in", async () => {
    const blob = blobOf("x");
    for (const path of ["..", ".", "a/b", "../../etc/passwd", "..\\x", "a\\..\\..\\x", "\\x"]) {
      const objects = [blob, treeOf([{ mode: fileMode, path, id: idOf(blob) }])];
      await expect(archived(objects, "zip"), path).rejects.toThrow("no folder can hold");
    }
  });

  it("refuses prefixes that lead elsewhere", async () => {
    const tree = treeOf([]);
    const history = new History(await packsOf(format, [tree]));
    for (const prefix of ["/etc/", "../x/", "a/../../b/", "a\0b"]) {
      const pieces = writeArchive(history, { tree: idOf(tree) }, { format: "tar", prefix });
      await expect(buffer(pieces), prefix).rejects.toMatchObject({ code: "bad-request" });
    }
  });

  it("ends when the time is up, and names a link that is too large and an object that is missing", async () => {
    const blob = blobOf("x");
    const many = Array.from({ length: 20_000 }, (_, at) => ({
      mode: fileMode,
      path: `f${at}`,
      id: idOf(blob),
    }));
    await expect(archived([blob, treeOf(many)], "tar", 0)).rejects.toMatchObject({ code: "unavailable" });
    const large = blobOf("x".repeat(9 * 2 ** 20));
    const link = [large, treeOf([{ mode: symlinkMode, path: "link", id: idOf(large) }])];
    await expect(archived(link, "tar")).rejects.toThrow("link is too large");
    const gone = treeOf([{ mode: fileMode, path: "f", id: "a".repeat(40) }]);
    await expect(archived([gone], "zip")).rejects.toThrow(`object ${"a".repeat(40)} is missing`);
  });
});

describe("writeArchive with hostile attributes", () => {
  it("follows macros that stand for 40,000 others, whatever their order, and passes nothing but what counts on", async () => {
    const chain = Array.from({ length: 40_000 }, (_, at) => `[attr]m${at + 1} m${at}\n`);
    const text = `[attr]m0 export-ignore\n${chain.join("")}left m40000\n`;
    const files = blobOf("x");
    for (const lines of [text, text.split("\n").reverse().join("\n")]) {
      const attributes = blobOf(lines);
      const tree = treeOf([
        { mode: fileMode, path: ".gitattributes", id: idOf(attributes) },
        { mode: fileMode, path: "kept", id: idOf(files) },
        { mode: fileMode, path: "left", id: idOf(files) },
      ]);
      const { members } = readZip(await archived([files, attributes, tree], "zip"));
      expect(members.map(({ name }) => name)).toEqual([".gitattributes", "kept"]);
    }
  });

  it("reads a file of attributes that 100 folders share twice: as the root's, and as the others'", async () => {
    const file = blobOf("x");
    const attributes = blobOf(`${"some-name text\n".repeat(2_000)}left export-ignore\n`);
    const objects = [file, attributes];
    let below: TreeEntry[] = [];
    for (let level = 0; level < 100; level++) {
      const tree = treeOf([
        { mode: fileMode, path: ".gitattributes", id: idOf(attributes) },
        ...below,
        { mode: fileMode, path: "left", id: idOf(file) },
      ]);
      objects.push(tree);
      below = [{ mode: directoryMode, path: "d", id: idOf(tree) }];
    }
    const { history } = await openedWith(objects);
    let folder: AttributeFolder | undefined;
    let reads = 0;
    const counting = Object.create(history, {
      object: {
        value(id: string) {
          reads += 1;
          return history.object(id);
        },
      },
      pace: { value: () => history.pace() },
      sizeOf: { value: (id: string) => history.sizeOf(id) },
    });
    const reader = new AttributeReader(counting);
    for (const tree of objects.slice(2).toReversed()) {
      const entries = parseTree(format, tree.data);
      folder = await reader.enter(folder === undefined ? "" : `${folder.path}d/`, entries, folder);
    }
    expect(reads).toBe(2);
    const found = await reader.of(folder as AttributeFolder, `${"d/".repeat(99)}left`, false);
    expect(found).toEqual(new Map([["export-ignore", true]]));
  });
});

describe("substituteFormats", () => {
  it("looks once for what a file asks for 1,000 times, in formats that all differ", async () => {
    let looks = 0;
    const refs = {
      find: () => undefined,
      list: () => {
        looks += 1;
        return [];
      },
    };
    const target = { id: "a".repeat(40), message: "title\n" };
    const context = { target, refs: { head: "refs/heads/main", refs } };
    const asked = Array.from({ length: 1_000 }, (_, at) => `$Format:${at}%d%s$\n`).join("");
    const pace = () => undefined;
    const written = await substituteFormats(Buffer.from(asked), context as unknown as FormatContext, pace);
    const filled = written.toString();
    expect(filled.split("\n").slice(0, 2)).toEqual(["0title", "1title"]);
    expect(looks).toBe(1);
  });
});

describe("writeArchive of a large file", () => {
  it("a file of 10 MB goes out in pieces, in both forms as it is stored", async () => {
    const data = Buffer.alloc(10 * 2 ** 20, "some line of text\n");
    const blob: GitObject = { type: "blob", data };
    const objects = [blob, treeOf([{ mode: fileMode, path: "big", id: idOf(blob) }])];
    const { members } = readZip(await archived(objects, "zip"));
    expect(members[0]?.content.equals(data)).toBe(true);
    const tar = await archived(objects, "tar");
    expect(tar.subarray(512, 512 + data.length).equals(data)).toBe(true);
    expect(tar.length % 10_240).toBe(0);
  });
});

describe("writeArchive of a tree without a commit", () => {
  it("dates it 1980 and gives it no comment", async () => {
    const folder = await bareRepository(format);
    const stream =
      "commit refs/heads/a/b\ncommitter A <a@x> 1700000000 +0000\ndata 1\nx\nM 644 inline d/e/f\ndata 2\nhi\n";
    await git(folder, ["fast-import", "--quiet"], stream);
    const repository = await repositoryIn(folder, format);
    const history = new History(await repository.packs());
    const found = { tree: await gitText(folder, ["rev-parse", "a/b:d"]) };
    const zip = await buffer(writeArchive(history, found, { format: "zip" }));
    const theirs = readZip(await gitArchive(folder, ["--format=zip", "a/b:d"]));
    expect(readZip(zip).members.map(({ name }) => name)).toEqual(theirs.members.map(({ name }) => name));
    expect(readZip(zip).comment).toBe("");
    expect(readZip(zip).members[0]?.dosTime).toBe(((1 << 5) | 1) << 16);
    const again = await buffer(writeArchive(history, found, { format: "zip" }));
    expect(again.equals(zip)).toBe(true);
  });
});
