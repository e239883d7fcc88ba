import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { hashObject } from "#core/git/format/object-format";
import { PackCaches } from "#core/git/pack/pack-caches";
import { openPackSet } from "#core/git/pack/pack-set";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { delta, type RawEntry, rawPack } from "../pack/raw-pack.ts";
import { taken } from "./taken.ts";

const mebibyte = 2 ** 20;
const depth = 70;

/** Noise in instructions of at most 127 bytes: a delta that is as large as what it makes, and deflates to no less. */
function noisyDelta(baseSize: number, noise: Buffer): Buffer {
  const steps: Buffer[] = [];
  for (let at = 0; at < noise.length; at += 127) steps.push(noise.subarray(at, at + 127));
  return delta(baseSize, noise.length, steps);
}

/** Watches how many bytes are asked of the store before somebody waits for them. */
class WatchedPackFiles extends MemoryPackFiles {
  asked = 0;
  most = 0;

  override async read(key: string, start: number, endExclusive: number): Promise<Uint8Array> {
    this.asked += endExclusive - start;
    this.most = Math.max(this.most, this.asked);
    await new Promise(setImmediate);
    this.asked -= endExclusive - start;
    return super.read(key, start, endExclusive);
  }
}

describe("a small file at the end of a long chain of large deltas", () => {
  it("is read without holding the chain", async () => {
    const versions = Array.from({ length: depth }, () => randomBytes(mebibyte));
    const entries: RawEntry[] = versions.map((data, at) =>
      at === 0 ? { data } : { data: noisyDelta(mebibyte, data), ofs: at - 1 },
    );
    const pack = await taken("sha1", rawPack("sha1", entries));
    const files = new WatchedPackFiles();
    const entry = files.put(await readFile(pack.packPath), pack.side, pack.objectCount);
    expect(entry.packBytes).toBeGreaterThan(64 * mebibyte);
    await pack.dispose();
    const packs = await openPackSet(files, "sha1", [entry], new PackCaches());
    const idOf = (at: number) => hashObject("sha1", "blob", versions[at] as Buffer).toString("hex");
    const last = await packs.read(idOf(depth - 1));
    expect(last.data.equals(versions[depth - 1] as Buffer)).toBe(true);
    expect(files.most).toBeLessThanOrEqual(20 * mebibyte);
    const fresh = await openPackSet(files, "sha1", [entry], new PackCaches());
    const wanted = [3, depth - 1, 40, 0];
    const many = await fresh.readMany(wanted.map((at) => fresh.find(idOf(at)) as number));
    for (const [number, at] of wanted.entries()) {
      expect(many[number]?.data.equals(versions[at] as Buffer)).toBe(true);
    }
  });
});
