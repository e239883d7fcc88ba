import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { hashObject, type ObjectFormat } from "#core/git/format/object-format";
import type { IngestFailure, IngestOptions } from "#core/git/ingest/ingest-types";
import { createPack } from "#core/git/pack/create-pack";
import { generateRepository } from "#tests/support/git/git-generator";
import { blobId, copyAll, delta, rawPack } from "../pack/raw-pack.ts";
import { packOfRevisions, temporaryFolder } from "../pack/real-git.ts";
import { take } from "./taken.ts";

async function refusal(
  format: ObjectFormat,
  pack: Uint8Array,
  options: Partial<IngestOptions> & { source?: AsyncIterable<Uint8Array> } = {},
): Promise<IngestFailure> {
  const folder = await temporaryFolder();
  const result = await take(format, pack, { ...options, temporaryFolder: folder });
  expect(await readdir(folder), "a refused pack leaves no file").toEqual([]);
  if (result.ok) throw new Error("the pack was taken");
  return result.reason;
}

describe.each<ObjectFormat>(["sha1", "sha256"])("ingestPack refuses %s packs", (format) => {
  const other: ObjectFormat = format === "sha1" ? "sha256" : "sha1";
  const base = Buffer.from("the base of all that follows\n".repeat(4));
  const zeros = Buffer.alloc(format === "sha1" ? 20 : 32);
  let pack: Buffer;

  beforeAll(async () => {
    const folder = join(await temporaryFolder("file"), "generated");
    await generateRepository({ folder, objects: 400, format });
    pack = await packOfRevisions(folder, ["main"]);
  });

  const refused = (sent: Uint8Array, options?: Partial<IngestOptions>) => refusal(format, sent, options);

  it("that are cut off", async () => {
    for (const length of [0, 3, 11, 12, 500, pack.length - 21, pack.length - 1]) {
      expect(await refused(pack.subarray(0, length))).toMatchObject({ kind: "truncated" });
    }
  });

  it("that are no packs", async () => {
    expect(await refused(Buffer.from("<html>not a pack</html>"))).toMatchObject({ kind: "not-a-pack" });
    const future = Buffer.from(pack);
    future[7] = 4;
    expect(await refused(future)).toMatchObject({ kind: "not-a-pack" });
  });

  it("with bytes behind their end", async () => {
    const sent = Buffer.concat([pack, Buffer.from("more")]);
    expect(await refused(sent)).toMatchObject({ kind: "trailing-bytes" });
  });

  it("whose checksum does not fit", async () => {
    const sent = Buffer.from(pack);
    sent[sent.length - 1] = (sent[sent.length - 1] as number) ^ 1;
    expect(await refused(sent)).toMatchObject({ kind: "checksum-mismatch" });
  });

  it("of the other object format, by name", async () => {
    const { pack: sent } = createPack(other, [{ type: "blob", data: base }]);
    expect(await refused(sent)).toMatchObject({ kind: "wrong-object-format" });
  });

  it("that announce more objects than they hold", async () => {
    const sent = rawPack(format, [{ data: base }], 2);
    expect((await refused(sent)).kind).toMatch(/^(?:truncated|corrupt)$/);
  });

  it("with an object of another size than announced", async () => {
    for (const claimedSize of [base.length - 1, base.length + 1, 0]) {
      expect(await refused(rawPack(format, [{ data: base, claimedSize }]))).toMatchObject({
        kind: "corrupt",
      });
    }
  });

  it("over the limits of pack size, object count and object size", async () => {
    expect(await refused(pack, { limits: { packBytes: pack.length - 1 } })).toMatchObject({
      kind: "pack-too-large",
    });
    expect(await refused(pack, { limits: { objects: 10 } })).toMatchObject({ kind: "too-many-objects" });
    expect(await refused(pack, { limits: { objectBytes: 100 } })).toMatchObject({ kind: "object-too-large" });
    expect(await refused(pack, { limits: { references: 10 } })).toMatchObject({
      kind: "too-many-references",
    });
  });

  it("that announce billions of objects, without room being made for them", async () => {
    const before = process.memoryUsage().rss;
    const sent = rawPack(format, [{ data: base }], 2 ** 32 - 1);
    expect(await refused(sent)).toMatchObject({ kind: "too-many-objects" });
    const high = { limits: { objects: 2 ** 32 } };
    expect((await refused(sent, high)).kind).toMatch(/^(?:truncated|corrupt)$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
  });

  it("with a deflate bomb", async () => {
    const sent = rawPack(format, [{ data: Buffer.alloc(20 * 2 ** 20) }]);
    const limits = { inflatedBytes: 2 ** 20, inflateRatio: 100 };
    expect(await refused(sent, { limits })).toMatchObject({ kind: "inflates-too-much" });
  });

  it("with a delta bomb: a few bytes that make a huge object", async () => {
    const steps = Array.from({ length: 1000 }, () => ({ from: 0, size: 65536 }));
    const bomb = delta(65536, 65_536_000, steps);
    const sent = rawPack(format, [{ data: Buffer.alloc(65536) }, { data: bomb, ofs: 0 }]);
    const limits = { inflatedBytes: 2 ** 20, inflateRatio: 100 };
    expect(await refused(sent, { limits })).toMatchObject({ kind: "inflates-too-much" });
    expect(await refused(sent, { limits: { objectBytes: 10 ** 6 } })).toMatchObject({
      kind: "object-too-large",
    });
  });

  it("with a delta of an object that readers could not hold", async () => {
    const grown = delta(65536, 131_072, [
      { from: 0, size: 65536 },
      { from: 0, size: 65536 },
    ]);
    const sent = rawPack(format, [{ data: Buffer.alloc(65536) }, { data: grown, ofs: 0 }]);
    expect(await refused(sent, { limits: { deltaObjectBytes: 100_000 } })).toMatchObject({
      kind: "object-too-large",
      message: expect.stringContaining("core.bigFileThreshold"),
    });
    expect((await take(format, sent, { limits: { deltaObjectBytes: 131_072 } })).ok).toBe(true);
  });

  it("whose checks take longer than allowed", async () => {
    const steps = Array.from({ length: 1000 }, () => ({ from: 0, size: 65536 }));
    const slow = delta(65536, 65_536_000, steps);
    const sent = rawPack(format, [{ data: Buffer.alloc(65536) }, { data: slow, ofs: 0 }]);
    expect(await refused(sent, { limits: { workMs: 1 } })).toMatchObject({ kind: "took-too-long" });
  });

  it("with a delta that claims an absurd result, before making room for it", async () => {
    const bomb = delta(base.length, 2 ** 40, [{ from: 0, size: 4 }]);
    const sent = rawPack(format, [{ data: base }, { data: bomb, ofs: 0 }]);
    expect(await refused(sent)).toMatchObject({ kind: "object-too-large" });
  });

  it("with chains of more deltas than allowed", async () => {
    const same = delta(base.length, base.length, [base.subarray(0, 1), { from: 1, size: base.length - 1 }]);
    const other = (n: number) =>
      delta(base.length, base.length, [Buffer.from([n]), { from: 1, size: base.length - 1 }]);
    const chain = [{ data: base }, ...[1, 2, 3].map((n) => ({ data: other(n), ofs: n - 1 }))];
    expect(await refused(rawPack(format, chain), { limits: { deltaDepth: 2 } })).toMatchObject({
      kind: "delta-too-deep",
    });
    expect((await take(format, rawPack(format, chain), { limits: { deltaDepth: 3 } })).ok).toBe(true);
    const double = rawPack(format, [{ data: base }, { data: same, ofs: 0 }]);
    expect(await refused(double)).toMatchObject({ kind: "duplicate-object" });
  });

  it("with deltas that do not fit their base", async () => {
    const wrong = [
      delta(base.length + 1, 4, [{ from: 0, size: 4 }]),
      delta(base.length, 5, [{ from: 0, size: 4 }]),
      delta(base.length, 3, [{ from: 0, size: 4 }]),
      delta(base.length, 4, [{ from: base.length - 3, size: 4 }]),
      delta(base.length, 4, [{ from: 2 ** 32 - 2, size: 4 }]),
      Buffer.concat([delta(base.length, 4, []), Buffer.from([0, 1, 2, 3, 4])]),
      Buffer.concat([delta(base.length, 4, []), Buffer.from([9, 1])]),
      Buffer.concat([delta(base.length, 4, []), Buffer.from([0xff, 1])]),
      Buffer.alloc(3, 0xff),
      Buffer.alloc(0),
    ];
    for (const data of wrong) {
      const { kind } = await refused(rawPack(format, [{ data: base }, { data, ofs: 0 }]));
      expect(kind).toMatch(/^(?:bad-delta|corrupt)$/);
    }
  });

  it("with deltas whose base is nowhere", async () => {
    const data = delta(4, 4, [{ from: 0, size: 4 }]);
    expect(await refused(rawPack(format, [{ data, ref: zeros }]))).toMatchObject({ kind: "missing-base" });
    const afar = rawPack(format, [{ data: base }, { data, ofs: 1 }]);
    expect(await refused(afar)).toMatchObject({ kind: "bad-delta" });
    // Two deltas, each on the other's result: neither has a whole base.
    const loop = [
      { data, ref: blobId(format, base) },
      { data, ref: zeros },
    ];
    expect(await refused(rawPack(format, loop))).toMatchObject({ kind: "missing-base" });
  });

  it("that hold one object twice", async () => {
    const sent = rawPack(format, [{ data: base }, { data: base }]);
    expect(await refused(sent)).toMatchObject({
      kind: "duplicate-object",
      id: blobId(format, base).toString("hex"),
    });
  });

  it("with objects that git fsck refuses, by id", async () => {
    const blob = hashObject(format, "blob", Buffer.alloc(0));
    const tree = Buffer.concat([Buffer.from("100644 .git\0"), blob]);
    const sent = createPack(format, [{ type: "tree", data: tree }]).pack;
    expect(await refused(sent)).toMatchObject({
      kind: "bad-object",
      id: hashObject(format, "tree", tree).toString("hex"),
    });
    const commit = Buffer.from("author nobody\n\n");
    const headless = createPack(format, [{ type: "commit", data: commit }]).pack;
    expect((await refused(headless)).message).toContain("missingTree");
  });

  it.each(["commit", "tag"] as const)(
    "with a %s of more than 1 MiB, also where it is a delta",
    async (type) => {
      const id = hashObject(format, "blob", Buffer.alloc(0)).toString("hex");
      const who = "Ada <ada@example.org> 1700000000 +0000";
      const header =
        type === "commit"
          ? `tree ${id}\nauthor ${who}\ncommitter ${who}\n\n`
          : `object ${id}\ntype blob\ntag v1\ntagger ${who}\n\n`;
      const sound = Buffer.from(header.padEnd(2 ** 20, "x"));
      expect((await take(format, rawPack(format, [{ type, data: sound }]))).ok).toBe(true);
      const long = Buffer.concat([sound, Buffer.from("x")]);
      expect(await refused(rawPack(format, [{ type, data: long }]))).toMatchObject({
        kind: "bad-object",
        id: hashObject(format, type, long).toString("hex"),
        message: expect.stringContaining("more than 1048576 bytes"),
      });
      const grown = delta(sound.length, long.length, [...copyAll(sound.length), Buffer.from("x")]);
      const sent = rawPack(format, [
        { type, data: sound },
        { data: grown, ofs: 0 },
      ]);
      expect(await refused(sent)).toMatchObject({ kind: "bad-object" });
    },
  );

  it("with a .gitmodules that endangers clients, also where it is a delta", async () => {
    const good = Buffer.from('[submodule "lib"]\n\tpath = lib\n\turl = https://example.org/lib\n'.repeat(3));
    const bad = Buffer.concat([good, Buffer.from("\tupdate = !x\n")]);
    const named = (data: Buffer) =>
      Buffer.concat([Buffer.from("100644 .gitmodules\0"), blobId(format, data)]);
    const update = delta(good.length, bad.length, [
      { from: 0, size: good.length },
      bad.subarray(good.length),
    ]);
    const blobs = [{ data: good }, { data: update, ofs: 0 }];
    expect((await take(format, rawPack(format, [...blobs, { type: "tree", data: named(good) }]))).ok).toBe(
      true,
    );
    expect(await refused(rawPack(format, [...blobs, { type: "tree", data: named(bad) }]))).toMatchObject({
      kind: "bad-object",
      id: blobId(format, bad).toString("hex"),
    });
  });

  it("with an object that is used as what it is not", async () => {
    const blob = Buffer.from("no tree");
    const asTree = Buffer.concat([Buffer.from("40000 folder\0"), hashObject(format, "blob", blob)]);
    const sent = createPack(format, [
      { type: "blob", data: blob },
      { type: "tree", data: asTree },
    ]).pack;
    expect(await refused(sent)).toMatchObject({ kind: "bad-object" });
    const both = Buffer.concat([
      Buffer.from("100644 file\0"),
      hashObject(format, "blob", blob),
      Buffer.from("40000 folder\0"),
      hashObject(format, "blob", blob),
    ]);
    expect(await refused(createPack(format, [{ type: "tree", data: both }]).pack)).toMatchObject({
      kind: "bad-object",
    });
  });

  it("whose source fails, with what it threw", async () => {
    const gone = new Error("client has gone");
    async function* failing() {
      yield pack.subarray(0, 1000);
      throw gone;
    }
    const reason = await refusal(format, pack, { source: failing() });
    expect(reason).toMatchObject({ kind: "source-failed", cause: gone });
  });
});
