import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostileCases } from "#tests/support/hostile-cases";
import { hostileFiles } from "#tests/support/hostile-files";
import { hostileHistories } from "#tests/support/hostile-histories";
import { hostileNeighbours } from "#tests/support/hostile-neighbours";
import { hostilePulls } from "#tests/support/hostile-pulls";
import { type ServerProcess, startServer } from "#tests/support/server-process";

/** What no stretch may reach: 100 ms of CPU are aimed at, and a busy machine makes the same work cost up to twice that. */
const mostMs = 250;
const project = fileURLToPath(new URL("../../", import.meta.url));
let server: ServerProcess;
/** One for each case: what one case used up of its caller's minute of computing would refuse the next. */
beforeEach(async () => {
  server = await startServer({ project });
});
afterEach(() => server.stop());

/** How long the server's event loop computed at a stretch, as its watch told, in ms. */
const stallsIn = (output: string): number[] =>
  output
    .split("\n")
    .filter((line) => line.includes('"loop:stalled"'))
    .map((line) => JSON.parse(line))
    .map(({ cpuMs, busyMs }) => cpuMs ?? busyMs);

describe("a request that costs much keeps nobody waiting for a quarter of a second", () => {
  it.each([...hostileCases, ...hostileFiles, ...hostileHistories, ...hostileNeighbours, ...hostilePulls])(
    "$name",
    async ({ prepare, send }) => {
      await prepare?.(server);
      const before = server.output().length;
      const statuses = await send(server);
      expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
      expect(stallsIn(server.output().slice(before)).filter((ms) => ms >= mostMs)).toEqual([]);
    },
  );
});
