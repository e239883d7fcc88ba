import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryMb } from "#tests/bench/process-usage";
import { call, status, times } from "#tests/support/hostile/hostile-cases";
import { readSlowly, slowReaderCases } from "#tests/support/hostile/slow-readers";
import { type ServerProcess, startServer } from "#tests/support/process/server-process";

const project = fileURLToPath(new URL("../../", import.meta.url));
/** `MAX_HELD_BYTES`, and what the process takes beside it. */
const mostMb = 256 + 600;
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ project });
});
afterAll(() => server.stop());

describe("200 readers that take nothing hold no more memory than the setting says, and others are answered", () => {
  it.each(slowReaderCases)("$name", async ({ prepare, paths }) => {
    await prepare(server);
    const readers = readSlowly(server, { paths });
    try {
      const statuses: number[] = [];
      for (const _ of times(40)) statuses.push(await status(call(server, "GET", "/version", { as: "" })));
      expect(new Set(statuses)).toEqual(new Set([200]));
    } finally {
      readers.stop();
    }
    expect(memoryMb(server.pid, "VmHWM")).toBeLessThan(mostMb);
  });
});
