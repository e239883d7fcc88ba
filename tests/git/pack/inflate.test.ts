import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  createHandleInflater,
  documentedInflater,
  type Inflater,
  inflateCorrupt,
  inflateShort,
  isSoundInflater,
} from "#core/git/pack/inflate";

const handle = createHandleInflater();
if (handle === undefined) throw new Error("this Node has no zlib handle: only the documented way is left");

describe.each<[string, Inflater]>([
  ["one handle", handle],
  ["documented calls", documentedInflater],
])("inflating by %s", (_name, inflate) => {
  it("takes exactly one stream, whatever follows it", () => {
    for (const size of [0, 1, 100, 16_384, 100_000]) {
      const data = randomBytes(size);
      const deflated = deflateSync(data);
      const input = Buffer.concat([Buffer.from("ab"), deflated, randomBytes(50)]);
      const output = Buffer.alloc(size + 11);
      expect(inflate(input, 2, input.length, output, 10, size)).toBe(deflated.length);
      expect(output.subarray(10, 10 + size).equals(data)).toBe(true);
    }
  });

  it("tells input that ends early from input that is damaged or of another size", () => {
    const data = Buffer.alloc(5000, "some text ");
    const deflated = deflateSync(data);
    const output = Buffer.alloc(6000);
    for (let length = 0; length < deflated.length; length++) {
      expect(inflate(deflated, 0, length, output, 0, data.length)).toBe(inflateShort);
    }
    expect(inflate(deflated, 0, deflated.length, output, 0, data.length - 1)).toBe(inflateCorrupt);
    expect(inflate(deflated, 0, deflated.length, output, 0, data.length + 1)).toBe(inflateCorrupt);
    const damaged = Buffer.from(deflated);
    damaged[damaged.length - 1] = (damaged[damaged.length - 1] as number) ^ 1;
    expect(inflate(damaged, 0, damaged.length, output, 0, data.length)).toBe(inflateCorrupt);
    expect(inflate(Buffer.from("no zlib stream"), 0, 14, output, 0, 100)).toBe(inflateCorrupt);
    expect(inflate(deflated, 0, deflated.length, output, 0, data.length)).toBe(deflated.length);
  });

  it("passes its own trial", () => {
    expect(isSoundInflater(inflate)).toBe(true);
  });
});

describe("isSoundInflater", () => {
  it("rejects an inflater that truncates silently", () => {
    const silent: Inflater = (input, inputAt, inputEnd, output, outputAt, size) => {
      const taken = documentedInflater(input, inputAt, inputEnd, output, outputAt, size);
      return taken < 0 ? inputEnd - inputAt : taken;
    };
    expect(isSoundInflater(silent)).toBe(false);
  });
});
