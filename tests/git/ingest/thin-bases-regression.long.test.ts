import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { hashObject, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import { thinBases } from "#core/git/ingest/complete/thin-bases";
import { take } from "#tests/git/ingest/taken";
import { packsOf } from "#tests/git/memory/pack-sets";
import { delta, rawPack } from "#tests/git/pack/raw-pack";
import { temporaryFolder } from "#tests/git/pack/real-git";

const mebibyte = 2 ** 20;
const blobOf = (mebibytes: number, fill: string) => Buffer.alloc(mebibytes * mebibyte, fill);

/** A repository that holds these blobs, and how its thin bases come. */
async function holding(blobs: readonly Buffer[]) {
  const objects = blobs.map((data) => ({ type: "blob" as const, data }));
  const ids = objects.map(({ type, data }) => objectIdOf("sha1", type, data));
  const packs = await packsOf("sha1", objects);
  const folder = await temporaryFolder();
  return { ids, folder, find: thinBases({ packs: async () => packs }, folder) };
}

describe("the bases of a thin pack", () => {
  it("come as many at a time as 16 MiB hold, in the order asked", async () => {
    const { ids, find } = await holding(
      Array.from({ length: 40 }, (_, number) => blobOf(1, `blob ${number}\n`)),
    );
    const counts: number[] = [];
    for (let left: ObjectId[] = [...ids]; left.length > 0; ) {
      const found = await find(left);
      expect([...found.keys()]).toEqual(left.slice(0, found.size));
      counts.push(found.size);
      left = left.slice(found.size);
    }
    expect(counts).toEqual([16, 16, 8]);
  });

  it("stop before one that is missing", async () => {
    const { ids, find } = await holding([blobOf(1, "a"), blobOf(1, "b")]);
    const absent = "ee".repeat(20);
    expect([...(await find([ids[0] ?? "", absent, ids[1] ?? ""])).keys()]).toEqual([ids[0]]);
    expect((await find([absent, ids[1] ?? ""])).size).toBe(0);
  });

  it("come as a file where one is too large for memory, and a push that rests on it is taken", async () => {
    const large = blobOf(33, "all work and no play\n");
    const { ids, find, folder } = await holding([blobOf(1, "a"), large]);
    expect((await find([...ids])).size).toBe(1);
    const found = await find([ids[1] ?? "", ids[0] ?? ""]);
    expect(found.size).toBe(1);
    const [base] = found.values();
    if (base === undefined || !("path" in base)) throw new Error("no file");
    expect((await readFile(base.path)).equals(large)).toBe(true);
    const result = Buffer.from("ll work and no");
    const thin = rawPack("sha1", [
      {
        data: delta(large.length, result.length, [{ from: 1, size: result.length }]),
        ref: hashObject("sha1", "blob", large),
      },
    ]);
    const taken = await take("sha1", thin, { findBases: find, temporaryFolder: folder });
    if (!taken.ok) throw new Error(taken.reason.message);
    expect(taken.pack.objectCount).toBe(2);
    const made = hashObject("sha1", "blob", result).toString("hex");
    expect((await taken.pack.read(made))?.data.equals(result)).toBe(true);
    await taken.pack.dispose();
    expect((await readdir(folder)).every((name) => name.startsWith("base-"))).toBe(true);
  });
});
