import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createDeflate } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { typeCodes } from "#core/git/format/object-type";
import { writeEntryHeader } from "#core/git/pack/entry-header";
import { generateRepository } from "#tests/support/git/git-generator";
import { bundled } from "../../support/process/bundled-script.ts";
import { copyAll, delta, packHeader, rawEntry } from "../pack/raw-pack.ts";
import { gitText, temporaryFolder } from "../pack/real-git.ts";
import { describeDamagedPacks } from "./damaged-packs-suite.ts";
import { describeIngest } from "./ingest-suite.ts";

const mebibyte = 2 ** 20;

let script: string;
beforeAll(async () => {
  script = await bundled("tests/git/ingest/ingest-child.ts", await temporaryFolder("file"));
});

/** Takes a pack in by a process of its own; gives what it says. Its index lies beside the pack then. */
async function takenByChild(path: string, format: ObjectFormat) {
  const spool = join(await temporaryFolder(), "spool");
  await mkdir(spool);
  const child = spawn(process.execPath, [script, path, spool, format], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const out: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => out.push(piece));
  await once(child, "close");
  return JSON.parse(Buffer.concat(out).toString()) as { ok: boolean; outside: number; peakBytes: number };
}

const block = randomBytes(mebibyte);

/** A pack of a blob that doesn't compress, and of a delta that adds a line to it, piece by piece. */
async function* packOfLargeBlob(sizeBytes: number): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha1");
  const hashed = (piece: Buffer) => {
    hash.update(piece);
    return piece;
  };
  yield hashed(packHeader(2));
  const head = Buffer.alloc(64);
  let length = writeEntryHeader(head, 0, typeCodes.blob, sizeBytes);
  yield hashed(head.subarray(0, length));
  const blocks = Array.from({ length: sizeBytes / mebibyte }, () => block);
  for await (const piece of Readable.from(blocks).pipe(createDeflate({ level: 0 }))) {
    length += piece.length;
    yield hashed(piece);
  }
  const line = Buffer.from("and a line\n");
  const data = delta(sizeBytes, sizeBytes + line.length, [...copyAll(sizeBytes), line]);
  yield hashed(rawEntry({ data, ofs: 0 }, length));
  yield hash.digest();
}
describe("ingestPack", () => {
  it.each<[number, ObjectFormat]>([
    [100_000, "sha1"],
    [20_000, "sha256"],
  ])("indexes %i %s objects as git does, 100,000 within 300 MB", async (objects, format) => {
    const folder = await temporaryFolder();
    const repository = join(folder, "generated");
    await generateRepository({ folder: repository, objects, sizeBytes: 500 * objects, format });
    const sent = join(folder, "sent");
    const options = ["-q", "--revs", "--delta-base-offset"];
    const name = await gitText(repository, ["pack-objects", ...options, sent], "main\n");
    const child = await takenByChild(`${sent}-${name}.pack`, format);
    expect([child.ok, child.outside]).toEqual([true, 0]);
    const index = await readFile(`${sent}-${name}.pack.idx`);
    expect(index.equals(await readFile(`${sent}-${name}.idx`))).toBe(true);
    expect(child.peakBytes).toBeLessThan(300 * mebibyte);
  });

  it("takes a blob of 400 MB and a delta on it within 300 MB", async () => {
    const sent = join(await temporaryFolder(), "sent.pack");
    await writeFile(sent, packOfLargeBlob(400 * mebibyte));
    const child = await takenByChild(sent, "sha1");
    expect(child.ok).toBe(true);
    expect(child.peakBytes).toBeLessThan(300 * mebibyte);
  });
});

describeIngest(["sha256"]);
describeDamagedPacks(100);
