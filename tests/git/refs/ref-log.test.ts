import { describe, expect, it } from "vitest";
import {
  decodeLogChunk,
  encodeLog,
  type LoggedChange,
  type LoggedPush,
  logChunkBytes,
} from "#core/git/refs/ref-log";
import { truncatedUtf8 } from "#core/git/refs/truncated-utf8";
import { decodeManifest, encodeManifest, type ManifestPack } from "#core/git/store/pack-manifest";

const id = (digit: string, length = 40) => digit.repeat(length);
const push = (changes: LoggedChange[]): LoggedPush => ({
  pushId: "0011223344556677",
  pusherId: -2,
  timeMs: 1_900_000_000_123,
  packIds: ["8899aabbccddeeff"],
  changes,
});

describe("the ref log", () => {
  it.each([
    ["sha1", 40],
    ["sha256", 64],
  ] as const)("keeps every fact of a push (%s)", (format, length) => {
    const changes: LoggedChange[] = [
      {
        name: "refs/heads/größe",
        new: id("a", length),
        record: {
          subject: "Weiß noch nicht",
          author: { name: "Ödön", email: "o@example.org" },
          committedSeconds: 1_700_000_000,
          committedZone: "+0130",
        },
      },
      { name: "refs/tags/v1", old: id("b", length), new: id("c", length), peeled: id("d", length) },
      { name: "refs/heads/gone", old: id("e", length) },
    ];
    const [chunk] = encodeLog(format, push(changes)).map(decodeLogChunk);
    expect(chunk).toEqual({ ...push(changes), chunk: 0, chunks: 1 });
  });

  it("is cut into chunks that fit an item, and none is lost", () => {
    const changes = Array.from({ length: 12_000 }, (_, index) => ({
      name: `refs/heads/topic/with-a-long-name-${index}`,
      new: id("a"),
    }));
    const chunks = encodeLog("sha1", push(changes));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.every((chunk) => chunk.length <= logChunkBytes)).toBe(true);
    const decoded = chunks.map(decodeLogChunk);
    expect(decoded.map(({ chunk, chunks: total }) => [chunk, total])).toEqual(
      chunks.map((_, index) => [index, chunks.length]),
    );
    expect(decoded.flatMap((chunk) => chunk.changes)).toEqual(changes);
  });

  it("of a push without changes is one chunk", () => {
    expect(encodeLog("sha1", push([])).map(decodeLogChunk)).toHaveLength(1);
  });

  it("cuts long texts between characters", () => {
    expect(truncatedUtf8("aäöü", 4).toString()).toBe("aä");
    expect(truncatedUtf8("abc", 4).toString()).toBe("abc");
  });

  it("refuses bytes of an unknown format, and bytes that are cut short", () => {
    const [chunk = Buffer.alloc(0)] = encodeLog("sha1", push([{ name: "refs/heads/a", new: id("a") }]));
    expect(() => decodeLogChunk(Buffer.concat([Buffer.from([9]), chunk.subarray(1)]))).toThrow(
      "unknown format",
    );
    for (let end = 0; end < chunk.length; end++) {
      expect(() => decodeLogChunk(chunk.subarray(0, end))).toThrow();
    }
  });
});

describe("the pack manifest", () => {
  const packs: ManifestPack[] = [
    {
      id: "0011223344556677",
      key: "r/7/p/0011223344556677",
      packBytes: 2 ** 33,
      sideBytes: 12_345,
      objects: 3,
      source: "receive",
      repositoryId: 7,
    },
    {
      id: "ffeeddccbbaa9988",
      key: "r/8/p/ffeeddccbbaa9988",
      packBytes: 99,
      sideBytes: 1,
      objects: 0,
      source: "create",
      repositoryId: 8,
    },
  ];

  it("comes back in its order, 33 bytes a pack", () => {
    expect(decodeManifest(encodeManifest(packs))).toEqual(packs);
    expect(encodeManifest(packs)).toHaveLength(1 + 33 * 2);
    expect(decodeManifest(encodeManifest([]))).toEqual([]);
  });

  it("refuses bytes of an unknown format or cut short", () => {
    expect(() => decodeManifest(Buffer.from([7]))).toThrow("unknown format");
    expect(() => decodeManifest(encodeManifest(packs).subarray(0, 40))).toThrow(RangeError);
  });
});
