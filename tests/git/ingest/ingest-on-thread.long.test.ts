import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useThreads } from "#core/compute/compute";
import { openPackSet } from "#core/git/pack/pack-set";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { generateRepository } from "#tests/support/git/git-generator";
import { bundled } from "../../support/process/bundled-script.ts";
import { gitText, packOfRevisions, temporaryFolder } from "../pack/real-git.ts";
import { take, taken } from "./taken.ts";

describe("ingestPack on threads", () => {
  let script: string;
  let repository: string;
  let pack: Buffer;

  beforeAll(async () => {
    const folder = await temporaryFolder("file");
    script = await bundled("functions/threads/compute-thread.ts", folder);
    repository = join(folder, "generated");
    await generateRepository({ folder: repository, objects: 1500 });
    pack = await packOfRevisions(repository, ["main"]);
  });
  beforeEach(() => useThreads({ script, threads: 2 }));
  afterEach(() => useThreads(undefined));

  it("gives the same as on the calling thread", async () => {
    const onWorker = await taken("sha1", pack);
    await useThreads(undefined);
    const inline = await taken("sha1", pack);
    expect(onWorker.side.equals(inline.side)).toBe(true);
    expect((await readFile(onWorker.packPath)).equals(await readFile(inline.packPath))).toBe(true);
    expect({
      ...onWorker,
      packPath: "",
      side: 0,
      sideFile: 0,
      has: 0,
      read: 0,
      stream: 0,
      dispose: 0,
    }).toEqual({
      ...inline,
      ...{ packPath: "", side: 0, sideFile: 0, has: 0, read: 0, stream: 0, dispose: 0 },
    });
    const id = await gitText(repository, ["rev-parse", "main"]);
    expect((await onWorker.read(id))?.type).toBe("commit");
  });

  it("asks this process for the bases of a thin pack", async () => {
    const files = new MemoryPackFiles();
    const old = await taken("sha1", await packOfRevisions(repository, ["main~40"]));
    const known = await openPackSet(files, "sha1", [await files.store(old)]);
    const thin = await packOfRevisions(repository, ["main", "^main~40"], ["--thin", "--no-reuse-delta"]);
    const findBases = async (ids: string[]) =>
      new Map(await Promise.all(ids.map(async (id) => [id, await known.read(id)] as const)));
    const onWorker = await taken("sha1", thin, { findBases });
    expect(onWorker.appendedCount).toBeGreaterThan(0);
    await useThreads(undefined);
    const inline = await taken("sha1", thin, { findBases });
    expect(onWorker.side.equals(inline.side)).toBe(true);
    expect(onWorker.outside).toEqual(inline.outside);
  });

  it("throws on what the bases' store throws", async () => {
    const thin = await packOfRevisions(repository, ["main", "^main~40"], ["--thin", "--no-reuse-delta"]);
    const down = new Error("store is down");
    const folder = await temporaryFolder();
    const findBases = () => Promise.reject(down);
    await expect(take("sha1", thin, { findBases, temporaryFolder: folder })).rejects.toBe(down);
    expect(await readdir(folder)).toEqual([]);
  });

  it("refuses what the calling thread refuses, with the source's own error", async () => {
    expect(await take("sha1", pack.subarray(0, 5000))).toMatchObject({
      ok: false,
      reason: { kind: "truncated" },
    });
    const gone = new Error("client has gone");
    async function* failing() {
      yield pack.subarray(0, 1000);
      throw gone;
    }
    const result = await take("sha1", pack, { source: failing() });
    expect(result).toMatchObject({ ok: false, reason: { kind: "source-failed", cause: gone } });
  });

  it("lines up more ingests than there are threads", async () => {
    const packs = await Promise.all(Array.from({ length: 7 }, () => taken("sha1", pack)));
    expect(new Set(packs.map(({ packChecksum }) => packChecksum)).size).toBe(1);
    expect(new Set(packs.map(({ packPath }) => packPath)).size).toBe(7);
  });

  it("takes a pack in while slow pushers are still sending theirs: those hold no thread", async () => {
    await useThreads({ script, threads: 1 });
    const abort = new AbortController();
    const folder = await temporaryFolder();
    async function* stalled() {
      yield pack.subarray(0, 100_000);
      await new Promise(() => undefined);
    }
    const options = { temporaryFolder: folder, signal: abort.signal };
    const slow = [1, 2, 3].map(() => take("sha1", pack, { ...options, source: stalled() }));
    await expect.poll(() => readdir(folder)).toHaveLength(3);
    expect((await take("sha1", pack)).ok).toBe(true);
    abort.abort();
    for (const result of await Promise.all(slow)) {
      expect(result).toMatchObject({ ok: false, reason: { kind: "aborted" } });
    }
  });

  it.each([
    ["keeps its thread after a small pack", 0, 1],
    ["ends its thread after a large pack, with the memory that it holds", 17 * 2 ** 20, 2],
  ])("%s", async (_, sizeBytes, expected) => {
    const folder = await temporaryFolder();
    const counting = join(folder, "counting.mjs");
    const code = [
      'import { appendFileSync } from "node:fs";',
      `import ${JSON.stringify(script)};`,
      `appendFileSync(${JSON.stringify(join(folder, "starts"))}, "s");`,
    ];
    await writeFile(counting, code.join("\n"));
    await useThreads({ script: counting, threads: 1 });
    const sent = sizeBytes === 0 ? pack : await packOfNoise(folder, sizeBytes);
    for (let round = 0; round < 2; round += 1) expect((await take("sha1", sent)).ok).toBe(true);
    expect(await readFile(join(folder, "starts"), "utf8")).toHaveLength(expected);
  });

  it("fails an ingest whose thread is ended", async () => {
    const folder = await temporaryFolder();
    const idle = join(folder, "idle.mjs");
    await writeFile(
      idle,
      `import { writeFileSync } from "node:fs";
       import { parentPort } from "node:worker_threads";
       parentPort.on("message", () => writeFileSync(${JSON.stringify(join(folder, "has-it"))}, ""));`,
    );
    await useThreads({ script: idle, threads: 1 });
    const spool = await temporaryFolder();
    const result = take("sha1", pack, { temporaryFolder: spool });
    await expect.poll(() => readdir(folder)).toContain("has-it");
    await useThreads(undefined);
    expect(await result).toMatchObject({ ok: false, reason: { kind: "worker-failed" } });
    expect(await readdir(spool)).toEqual([]);
  });

  it("stops a running and a waiting ingest that are aborted, leaving nothing", async () => {
    await useThreads({ script, threads: 1 });
    const folder = await temporaryFolder();
    const abort = new AbortController();
    // The worker waits for a base that never comes; the second ingest waits for the worker.
    const thin = await packOfRevisions(repository, ["main", "^main~40"], ["--thin", "--no-reuse-delta"]);
    let asked = 0;
    const findBases = () => {
      asked++;
      return new Promise<never>(() => undefined);
    };
    const options = { findBases, signal: abort.signal, temporaryFolder: folder };
    const both = [1, 2].map(() => take("sha1", thin, options));
    await expect.poll(() => asked).toBe(1);
    await expect.poll(() => readdir(folder)).toHaveLength(2);
    abort.abort();
    for (const result of await Promise.all(both)) {
      expect(result).toMatchObject({ ok: false, reason: { kind: "aborted" } });
    }
    expect(await readdir(folder)).toEqual([]);
    expect((await take("sha1", pack)).ok).toBe(true);
  });

  it("survives a worker that dies: one refused ingest, then a new worker", async () => {
    const folder = await temporaryFolder();
    const dying = join(folder, "dying.mjs");
    const marker = join(folder, "died");
    await writeFile(
      dying,
      `import { existsSync, writeFileSync } from "node:fs";
       import { parentPort } from "node:worker_threads";
       const isFirst = !existsSync(${JSON.stringify(marker)});
       if (isFirst) {
         parentPort.once("message", () => {
           writeFileSync(${JSON.stringify(marker)}, "");
           throw new Error("out of luck");
         });
       } else await import(${JSON.stringify(script)});`,
    );
    await useThreads({ script: dying, threads: 1 });
    const spool = await temporaryFolder();
    const result = await take("sha1", pack, { temporaryFolder: spool });
    expect(result).toMatchObject({ ok: false, reason: { kind: "worker-failed" } });
    expect(await readdir(spool)).toEqual([]);
    expect((await take("sha1", pack)).ok).toBe(true);
  });
});

/** A pack of one blob that can't be compressed. */
async function packOfNoise(folder: string, sizeBytes: number): Promise<Buffer> {
  const repository = join(folder, "noise");
  await gitText(folder, ["init", "-q", repository]);
  await writeFile(join(folder, "noise.bin"), randomBytes(sizeBytes));
  const id = await gitText(repository, ["hash-object", "-w", join(folder, "noise.bin")]);
  return packOfRevisions(repository, [id]);
}

describe("ingestPack on a full disk", () => {
  it("refuses with no-space and leaves nothing", async () => {
    const folder = await temporaryFolder();
    const repository = join(folder, "generated");
    await generateRepository({ folder: repository, objects: 1500, sizeBytes: 2_000_000 });
    await writeFile(join(folder, "sent.pack"), await packOfRevisions(repository, ["main"]));
    const script = await bundled("tests/git/ingest/ingest-child.ts", folder);
    const spool = await temporaryFolder();
    // A limit on file size fails a write as a full disk does.
    const command = `ulimit -f 200; exec "${process.execPath}" "${script}" "${join(folder, "sent.pack")}" "${spool}"`;
    const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
    const out: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => out.push(piece));
    await once(child, "close");
    expect(JSON.parse(Buffer.concat(out).toString())).toMatchObject({
      ok: false,
      reason: { kind: "no-space" },
    });
    expect(await readdir(spool)).toEqual([]);
  });
});
