import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ObjectFormat, objectIdBytes } from "#core/git/format/object-format";
import { applyDelta, readDeltaHeader } from "#core/git/pack/delta";
import {
  emptyEntryHeader,
  maxEntryHeaderBytes,
  ofsDeltaCode,
  readEntryHeader,
  writeBaseDistance,
  writeEntryHeader,
} from "#core/git/pack/entry-header";
import { buildSideFile, SideFile } from "#core/git/pack/side-file";
import { sortIds } from "#core/git/pack/sort-ids";
import { createRandom } from "#tests/support/random";
import { type DeltaStep, delta } from "./raw-pack.ts";
import { bareRepository, gitText } from "./real-git.ts";

describe("applyDelta", () => {
  it("does what its steps say", () => {
    const random = createRandom();
    const base = randomBytes(200_000);
    for (let round = 0; round < 200; round++) {
      const steps: DeltaStep[] = Array.from({ length: random.integer(20) }, () => {
        const size = 1 + random.integer(random.chance(0.5) ? 100 : 65_536);
        return random.chance(0.5)
          ? randomBytes(1 + random.integer(127))
          : { from: random.integer(base.length - size), size };
      });
      const expected = Buffer.concat(
        steps.map((step) => (Buffer.isBuffer(step) ? step : base.subarray(step.from, step.from + step.size))),
      );
      const code = delta(base.length, expected.length, steps);
      const header = readDeltaHeader(code, 0, code.length);
      expect(header).toMatchObject({ baseSize: base.length, resultSize: expected.length });
      const bytes = Buffer.alloc(expected.length);
      const isApplied = applyDelta(
        { bytes: code, start: header?.at as number, end: code.length },
        { bytes: base, start: 0, end: base.length },
        { bytes, start: 0, end: bytes.length },
      );
      expect(isApplied, `seed ${random.seed}`).toBe(true);
      expect(bytes.equals(expected)).toBe(true);
    }
  });

  it("writes nowhere but into the result, whatever the delta says, also within one buffer", () => {
    const random = createRandom();
    for (let round = 0; round < 3000; round++) {
      const bytes = randomBytes(300);
      const before = Buffer.from(bytes);
      const start = 100 + random.integer(50);
      const end = start + random.integer(100);
      const base = { bytes, start: 0, end: random.integer(90) };
      const code = randomBytes(random.integer(40));
      applyDelta({ bytes: code, start: 0, end: code.length }, base, { bytes, start, end });
      expect(bytes.subarray(0, start).equals(before.subarray(0, start)), `seed ${random.seed}`).toBe(true);
      expect(bytes.subarray(end).equals(before.subarray(end)), `seed ${random.seed}`).toBe(true);
    }
  });
});

describe("entry headers", () => {
  it("read back as they were written, and are short when cut", () => {
    const random = createRandom();
    const sizes = [0, 15, 16, 127, 128, 2047, 2048, 2 ** 31, 2 ** 32, 2 ** 40, random.integer(2 ** 31)];
    for (const size of sizes) {
      for (const distance of [1, 127, 128, 16_511, 16_512, 2 ** 31, 2 ** 33 + 5]) {
        const bytes = Buffer.alloc(maxEntryHeaderBytes);
        const end = writeBaseDistance(bytes, writeEntryHeader(bytes, 0, ofsDeltaCode, size), distance);
        const header = emptyEntryHeader();
        expect(readEntryHeader(header, bytes, 0, end, 20)).toBe("ok");
        expect(header).toMatchObject({ code: ofsDeltaCode, size, baseDistance: distance, dataAt: end });
        for (let cut = 0; cut < end; cut++) expect(readEntryHeader(header, bytes, 0, cut, 20)).toBe("short");
      }
    }
  });

  it("that never end are bad, not short", () => {
    const header = emptyEntryHeader();
    expect(readEntryHeader(header, Buffer.alloc(100, 0x80 | 0x10), 0, 100, 20)).toBe("bad");
    expect(readEntryHeader(header, Buffer.alloc(100, 0xff), 0, 100, 20)).toBe("bad");
    expect(readEntryHeader(header, Buffer.from([0x00]), 0, 1, 20)).toBe("bad");
    expect(readEntryHeader(header, Buffer.from([0x50]), 0, 1, 20)).toBe("bad");
  });
});

describe("sortIds", () => {
  it("sorts ids with equal starts by the rest", () => {
    const ids = Array.from({ length: 500 }, () => randomBytes(20));
    for (const [at, id] of ids.entries()) if (at % 2 === 0) id.fill(at % 8, 0, 4 + (at % 16));
    const order = sortIds(Buffer.concat(ids), 20, ids.length);
    const sorted = Array.from(order, (at) => ids[at] as Buffer);
    expect(sorted).toEqual(ids.toSorted(Buffer.compare));
  });
});

describe.each<ObjectFormat>(["sha1", "sha256"])("side files of %s packs", (format) => {
  const idBytes = objectIdBytes(format);
  const offsets = [12, 2 ** 31 - 1, 2 ** 31, 2 ** 33, 2 ** 35];
  const content = {
    format,
    count: offsets.length,
    ids: Buffer.concat(offsets.map((_, at) => Buffer.alloc(idBytes, at * 50))),
    crcs: Uint32Array.from(offsets, (_, at) => 0xffffffff - at),
    offsets: Float64Array.from(offsets),
    types: Uint8Array.from([1, 2, 3, 4, 3]),
    sizes: Uint32Array.from([1, 2, 3, 4, 2 ** 32 - 1]),
    bases: Int32Array.from([-1, 0, 1, 2, 3]),
    byPosition: Uint32Array.from([0, 1, 2, 3, 4]),
    appendedCount: 1,
    packBytes: 2 ** 36,
    packChecksum: Buffer.alloc(idBytes, 9),
  };

  it("hold an index with offsets beyond 2 GiB that git reads", async () => {
    const side = new SideFile(buildSideFile(content));
    const folder = await bareRepository(format);
    const shown = await gitText(folder, ["show-index", `--object-format=${format}`], side.index.bytes);
    expect(shown.split("\n").map((line) => Number(line.split(" ")[0]))).toEqual(offsets);
    expect(offsets.map((_, at) => side.offsetAt(at))).toEqual(offsets);
    expect(offsets.map((_, at) => side.endAt(at))).toEqual([...offsets.slice(1), 2 ** 36 - idBytes]);
  });

  it("read the same from bytes at any address", () => {
    const bytes = buildSideFile(content);
    const shifted = Buffer.alloc(bytes.length + 3);
    bytes.copy(shifted, 3);
    const side = new SideFile(new Uint8Array(shifted.buffer, shifted.byteOffset + 3, bytes.length));
    expect(offsets.map((_, at) => [side.typeCodeAt(at), side.sizeAt(at), side.baseAt(at)])).toEqual([
      [1, 1, -1],
      [2, 2, 0],
      [3, 3, 1],
      [4, 4, 2],
      [3, 2 ** 32 - 1, 3],
    ]);
    expect(offsets.map((_, at) => side.isAppendedAt(at))).toEqual([false, false, false, false, true]);
    expect(offsets.map((_, at) => side.find(content.ids, at * idBytes))).toEqual([0, 1, 2, 3, 4]);
    expect(side.find(Buffer.alloc(idBytes, 1))).toBe(-1);
    expect(side.index.lowerBound(Buffer.alloc(idBytes, 51))).toBe(2);
  });

  it("refuse any damage", () => {
    const bytes = buildSideFile(content);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 4;
      expect(() => new SideFile(damaged), `byte ${at}`).toThrow("side file");
    }
    expect(() => new SideFile(bytes.subarray(0, 40))).toThrow();
  });
});
