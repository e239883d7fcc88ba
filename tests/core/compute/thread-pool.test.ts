import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ThreadPool } from "#core/compute/internal/thread-pool";
import { bundled } from "#tests/support/process/bundled-script";
import { bytesTask, dieTask, eatTask, failTask, holdTask, quickTask, spinTask } from "./tasks.ts";

let folder: string;
let script: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-threads-"));
  script = await bundled("tests/core/compute/thread.ts", folder);
});
afterAll(() => rm(folder, { recursive: true }));

function makePool(threads = 1): ThreadPool {
  const pool = new ThreadPool({ script, threads, mostMegabytes: 64 });
  onTestFinished(() => pool.close());
  return pool;
}
const ada = { caller: "ada" };
/** Who has computed nothing yet: what a hostile task takes of its caller's allowance depends on the machine. */
const bob = { caller: "bob" };

describe("a pool of threads", () => {
  it("hands bytes over and back, without what surrounds them in memory", async () => {
    const slab = Buffer.alloc(1000, 1);
    slab.fill(7, 500, 508);
    const { half, isBuffer } = await makePool().run(bytesTask, { bytes: slab.subarray(500, 508) }, ada);
    expect({ half: [...half], isBuffer }).toEqual({ half: [7, 7, 7, 7], isBuffer: true });
    expect(Buffer.isBuffer(half)).toBe(true);
    expect(slab[500]).toBe(7); // still the caller's own
  });

  it("ends a task that does not end at its deadline, and does the next on a new thread", async () => {
    const pool = makePool();
    const hostile = pool.run(spinTask, {}, ada);
    await expect(hostile).rejects.toMatchObject({ name: "TaskEnded", reason: "time" });
    expect(await pool.run(quickTask, {}, bob)).toBe("done");
  });

  it("ends a task that takes too much memory, and goes on", async () => {
    const pool = makePool();
    await expect(pool.run(eatTask, {}, ada)).rejects.toMatchObject({ name: "TaskEnded", reason: "memory" });
    expect(await pool.run(quickTask, {}, bob)).toBe("done");
  });

  it("throws what a task throws, and keeps its thread; a thread that dies fails its task alone", async () => {
    const pool = makePool();
    await expect(pool.run(failTask, {}, ada)).rejects.toThrow("of the task");
    await expect(pool.run(dieTask, {}, ada)).rejects.toMatchObject({ name: "TaskEnded", reason: "failed" });
    expect(await pool.run(quickTask, {}, ada)).toBe("done");
  });

  it("drops what nobody waits for any more: before its turn, and in the middle of it", async () => {
    const pool = makePool();
    const leaving = new AbortController();
    const both = [1, 2].map(() => pool.run(eatTask, {}, { ...ada, signal: leaving.signal }));
    const next = pool.run(quickTask, {}, ada);
    const settled = Promise.allSettled(both);
    leaving.abort(new Error("left"));
    const left = { status: "rejected", reason: new Error("left") };
    expect(await settled).toEqual([left, left]);
    expect(await next).toBe("done");
  });

  it("serves others beside a caller who sends one endless task after another", async () => {
    const pool = makePool(2);
    const hostile = Array.from({ length: 4 }, () => pool.run(spinTask, {}, { caller: "hostile" }));
    const settled = Promise.allSettled(hostile);
    expect(await pool.run(quickTask, {}, ada)).toBe("done");
    const reasons = (await settled).map((one) => (one.status === "rejected" ? one.reason.reason : "done"));
    expect(reasons).toEqual(["time", "time", "time", "time"]);
  });

  it("fails what is on its threads when it closes", async () => {
    const pool = makePool();
    const held = pool.run(holdTask, {}, ada);
    const failure = expect(held).rejects.toMatchObject({ name: "TaskEnded", reason: "failed" });
    await pool.close();
    await failure;
  });
});
