import { expect } from "vitest";
import { type Cost, type Counted, tryCount } from "#core/caller/rates";
import { readConfig } from "#core/config";
import type { Forge } from "#core/forge";
import { createLog } from "#core/log";
import { fakeClock } from "#tests/support/clock";
import { lowRates } from "#tests/support/suite/rates";

export const clock = fakeClock();
export const logged: Record<string, unknown>[] = [];
const log = createLog((line) => logged.push(JSON.parse(line)), "debug");
/** A process of its own. */
export const makeForge = (settings: Record<string, string> = lowRates) =>
  ({ config: readConfig(settings), clock, log }) as unknown as Forge;

export const home: Counted = { address: "192.0.2.1" };
export const alice: Counted = { userId: 1 };

/** How many of so many concurrent requests are accepted. */
export function admitted(
  forge: Forge,
  who: Counted | ((at: number) => Counted),
  cost: Cost,
  requests: number,
): number {
  const asked = Array.from({ length: requests }, (_, at) => (typeof who === "function" ? who(at) : who));
  return asked.filter((one) => tryCount(forge, one, cost) === 0).length;
}

/** A caller may send so many of a kind at once, and as many again over a minute, evenly. */
export function expectRate(cost: Cost, most: number): void {
  const forge = makeForge({});
  expect(admitted(forge, home, cost, most + 10)).toBe(most);
  clock.advance(30_000);
  expect(admitted(forge, home, cost, most)).toBe(most / 2);
  clock.advance(60_000);
  expect(admitted(forge, home, cost, most + 10)).toBe(most);
  clock.advance(600_000);
  expect(admitted(forge, home, cost, most + 10)).toBe(most);
}
