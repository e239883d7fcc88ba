import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Holding, Intake, type IntakeBounds, unboundedIntake } from "#core/capacity/intake";
import { until } from "#tests/support/until";

const kib = 1024;
let folder: string;
const before = process.env.TMPDIR;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "coldforge-intake-"));
  process.env.TMPDIR = folder;
});
afterAll(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(folder, { recursive: true });
});
afterEach(() => expect(readdirSync(folder)).toEqual([]));

const intakeOf = (bounds: Partial<IntakeBounds> = {}) =>
  new Intake({
    ...{ memoryBytes: 900 * kib, largestWorkBytes: 0, diskBytes: 3000 * kib, largestFileBytes: 0 },
    ...{ files: 3, smallBytes: 64 * kib, patienceMs: 1, ...bounds },
  });

async function* pieces(count: number, bytes: number) {
  for (let at = 0; at < count; at += 1) yield Buffer.alloc(bytes, at);
}

const spool = (holding: Holding, count: number, bytes: number, mostBytes = count * bytes) =>
  holding.spool({ bytes: pieces(count, bytes), mostBytes, end: () => undefined });

describe("Intake", () => {
  it("keeps a small body in memory, and counts what was announced of it until it is released", async () => {
    const intake = intakeOf();
    const holding = intake.open("a");
    const small = await spool(holding, 3, 100, 1000);
    expect([small.isInMemory, small.sizeBytes, intake.memory.held]).toEqual([true, 300, 1000]);
    expect((await holding.load(small)).length).toBe(300);
    await holding.release();
    expect(intake.memory.held).toBe(0);
  });

  it("keeps a larger one in a file, and counts memory once it is read whole; nothing is left of either", async () => {
    const intake = intakeOf();
    const holding = intake.open("a");
    const large = await spool(holding, 100 * kib, 1); // in pieces of a byte
    const counts = () => [intake.memory.held, intake.disk.held, intake.files.held];
    expect([large.isInMemory, ...counts()]).toEqual([false, 0, 100 * kib, 1]);
    const bytes = await holding.load(large);
    expect([bytes.length, bytes[0], bytes[257]]).toEqual([100 * kib, 0, 1]);
    expect(intake.memory.held).toBe(200 * kib);
    await holding.release();
    expect(counts()).toEqual([0, 0, 0]);
    expect(intake.memory.peak).toBeLessThanOrEqual(200 * kib);
  });

  it("refuses with RateLimited who holds a third, with Unavailable where others hold the rest", async () => {
    const intake = intakeOf();
    const [one, two] = [intake.open("a"), intake.open("a")];
    await spool(one, 2, 64 * kib);
    await expect(spool(two, 2, 64 * kib)).rejects.toMatchObject({
      code: "rate-limited",
      retryAfterSeconds: 2,
    });
    const others = [intake.open("b"), intake.open("c")];
    for (const other of others) await spool(other, 2, 64 * kib);
    const last = intake.open("d");
    await expect(spool(last, 2, 64 * kib)).rejects.toMatchObject({ code: "unavailable" });
    await expect(spool(last, 1, 1000)).resolves.toMatchObject({ sizeBytes: 1000 });
    for (const holding of [one, two, ...others, last]) await holding.release();
    expect([intake.memory.held, intake.disk.held, intake.files.held]).toEqual([0, 0, 0]);
  });

  it("refuses more bytes in files than there may be, and leaves none of them", async () => {
    const intake = intakeOf({ diskBytes: 300 * kib });
    const holding = intake.open("a");
    await expect(spool(holding, 4, 64 * kib)).rejects.toMatchObject({ code: "rate-limited" });
    await holding.release();
    expect(intake.disk.held).toBe(0);
  });

  it("ends who sends slowly when another caller needs the place", async () => {
    const intake = intakeOf({ files: 1, slowMs: 1, patienceMs: 60_000 });
    const slow = intake.open("slow");
    let end: (reason: Error) => void = () => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    ended.catch(() => undefined); // it may end before it is asked for more
    async function* stalled() {
      yield Buffer.alloc(100 * kib);
      await ended;
    }
    const stalling = slow.spool({ bytes: stalled(), mostBytes: 200 * kib, end });
    const refused = expect(stalling).rejects.toMatchObject({ code: "too-slow" });
    await until(() => intake.files.held === 1);
    const quick = intake.open("quick");
    const taken = spool(quick, 2, 64 * kib);
    await refused;
    await slow.release();
    expect((await taken).sizeBytes).toBe(128 * kib);
    await quick.release();
  });

  it("keeps what was reserved for an answer counted until the client took it, or has left", async () => {
    const intake = intakeOf();
    const answer = { closed: false };
    const [holding, other] = [intake.open("a", { answer }), intake.open("a", { answer: { closed: true } })];
    await holding.reserve(1000); // too little to count
    expect(intake.memory.held).toBe(0);
    await holding.reserve(200 * kib);
    await expect(other.reserve(200 * kib)).rejects.toMatchObject({ code: "rate-limited" });
    await holding.release();
    expect(intake.memory.held).toBe(200 * kib);
    intake.reserved.get(answer)?.release();
    await other.reserve(200 * kib);
    await other.release();
    expect(intake.memory.held).toBe(0);
  });

  it("has no bounds, and no files, where one request is served at a time", async () => {
    const holding = unboundedIntake().open("a");
    expect((await spool(holding, 10, 64 * kib, 2 ** 31)).isInMemory).toBe(true);
    await holding.release();
  });
});
