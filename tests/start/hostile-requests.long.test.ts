import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostileCases } from "#tests/support/hostile/hostile-cases";
import { hostileFiles } from "#tests/support/hostile/hostile-files";
import { hostileHistories } from "#tests/support/hostile/hostile-histories";
import { hostileNeighbours } from "#tests/support/hostile/hostile-neighbours";
import { hostilePulls } from "#tests/support/hostile/hostile-pulls";
import { type ServerProcess, startServer } from "#tests/support/process/server-process";

/** What a stretch is to stay below, and what none may reach: on a busy machine the same work costs up to twice the CPU. */
const [aimMs, mostMs] = [100, 250];
/** The longest stretch of each case that missed the aim, for who reads the run. */
const missed = new Map<string, number>();
const project = fileURLToPath(new URL("../../", import.meta.url));
/**
 * Cases go one after another in each of these lanes, and lanes beside each other: most of a case is waiting for starts,
 * for deadlines and for git, and what is held counts the computing of its server's loop alone.
 */
const lanes = 3;
afterAll(() => {
  const told = [...missed].map(([name, ms]) => `${ms} ms: ${name}`);
  console.info(`The loop computed for ${aimMs} ms and more in ${missed.size} cases. ${told.join("; ")}`);
});

/** How long the server's event loop computed at a stretch, as its watch told, in ms. */
const stallsIn = (output: string): number[] =>
  output
    .split("\n")
    .filter((line) => line.includes('"loop:stalled"'))
    .map((line) => JSON.parse(line))
    .map(({ cpuMs, busyMs }) => cpuMs ?? busyMs);

const cases = [...hostileCases, ...hostileFiles, ...hostileHistories, ...hostileNeighbours, ...hostilePulls];

describe("a request that costs much keeps nobody waiting for a quarter of a second", {
  concurrent: true,
}, () => {
  for (let lane = 0; lane < lanes; lane += 1) {
    describe(`lane ${lane + 1}`, () => {
      let server: ServerProcess;
      /** One for each case: what one case used up of its caller's minute of computing would refuse the next. */
      beforeEach(async () => {
        server = await startServer({ project });
      });
      afterEach(() => server.stop());

      it.sequential.each(cases.filter((_, at) => at % lanes === lane))(
        "$name",
        async ({ name, prepare, send }) => {
          await prepare?.(server);
          const before = server.output().length;
          const statuses = await send(server);
          expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
          const longestMs = Math.max(0, ...stallsIn(server.output().slice(before)));
          if (longestMs >= aimMs) missed.set(name, longestMs);
          expect(longestMs).toBeLessThan(mostMs);
        },
      );
    });
  }
});
