import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { writeArchive } from "#core/git/archive/archive";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { fileMode, serializeTree } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { readZip } from "./read-zip.ts";

it("a zip of 70,000 files names them all (ZIP64)", async () => {
  const blob: GitObject = { type: "blob", data: Buffer.from("same") };
  const id = objectIdOf("sha1", "blob", blob.data);
  const entries = Array.from({ length: 70_000 }, (_, at) => ({ mode: fileMode, path: `f${at}`, id }));
  const tree: GitObject = { type: "tree", data: serializeTree(entries) };
  const history = new History(await packsOf("sha1", [blob, tree]), { timeMs: 300_000 });
  const zip = writeArchive(history, { tree: objectIdOf("sha1", "tree", tree.data) }, { format: "zip" });
  const { members } = readZip(await buffer(zip));
  expect(members).toHaveLength(70_000);
  expect(new Set(members.map(({ name }) => name)).size).toBe(70_000);
});
