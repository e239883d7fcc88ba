import { afterEach, describe, expect, it } from "vitest";
import { type Cost, type Counted, countRequest, tryCount } from "#core/caller/rates";
import { readConfig } from "#core/config";
import type { Forge } from "#core/forge";
import { createLog } from "#core/log";
import { fakeClock } from "#tests/support/clock";
import { lowRates } from "#tests/support/suite/rates";

const clock = fakeClock();
const logged: Record<string, unknown>[] = [];
const log = createLog((line) => logged.push(JSON.parse(line)), "debug");
/** A process of its own. */
const makeForge = (settings: Record<string, string> = lowRates) =>
  ({ config: readConfig(settings), clock, log }) as unknown as Forge;
afterEach(() => logged.splice(0));

const home: Counted = { address: "192.0.2.1" };
const alice: Counted = { userId: 1 };

/** How many of so many concurrent requests are accepted. */
function admitted(
  forge: Forge,
  who: Counted | ((at: number) => Counted),
  cost: Cost,
  requests: number,
): number {
  const asked = Array.from({ length: requests }, (_, at) => (typeof who === "function" ? who(at) : who));
  return asked.filter((one) => tryCount(forge, one, cost) === 0).length;
}

describe("rates (D-RATE)", () => {
  it.each([
    ["light", 60_000],
    ["heavy", 2_400],
    ["git", 1_200],
    ["git-request", 4_800],
    ["password", 120],
  ] as const)("%s: %i at once by default, and as many again over a minute, evenly", (cost, most) => {
    const forge = makeForge({});
    expect(admitted(forge, home, cost, most + 10)).toBe(most);
    clock.advance(30_000);
    expect(admitted(forge, home, cost, most)).toBe(most / 2);
    clock.advance(60_000);
    expect(admitted(forge, home, cost, most + 10)).toBe(most);
    clock.advance(600_000);
    expect(admitted(forge, home, cost, most + 10)).toBe(most);
  });

  it("the seconds that a refusal names are enough", () => {
    const forge = makeForge({ RATE_PASSWORDS: "7" });
    expect(admitted(forge, home, "password", 7)).toBe(7);
    const seconds = tryCount(forge, home, "password");
    expect(seconds).toBe(9);
    clock.advance((seconds - 1) * 1000);
    expect(tryCount(forge, home, "password")).toBe(1);
    clock.advance(1000);
    expect(tryCount(forge, home, "password")).toBe(0);
  });

  it("says how many may come, and what to do", () => {
    const forge = makeForge({ RATE_HEAVY: "1", RATE_PASSWORDS: "1" });
    const refusal = (who: Counted, cost: Cost) => {
      countRequest(forge, who, cost);
      return expect(() => countRequest(forge, who, cost));
    };
    refusal(home, "heavy").toThrow(/network, which may send 1 a minute: try again in 60 seconds, or log in/);
    refusal(home, "password").toThrow(/passwords to check from your network.*or use an access token/);
    refusal(alice, "heavy").toThrow(/from your account, which may send 1 a minute: try again in 60 seconds$/);
  });

  it("callers are apart: accounts, networks and kinds", () => {
    const forge = makeForge();
    expect(admitted(forge, home, "heavy", 601)).toBe(600);
    for (const other of [{ address: "192.0.2.2" }, alice, { userId: 2 }, { address: "1" }]) {
      expect(admitted(forge, other, "heavy", 601)).toBe(600);
    }
    expect(admitted(forge, home, "light", 1)).toBe(1);
    expect(admitted(makeForge(), home, "heavy", 601)).toBe(600);
  });

  it("of IPv6 64 bits are one network, and a site of 48 bits sends no more than four of them", () => {
    const forge = makeForge();
    expect(admitted(forge, (at) => ({ address: `2001:db8::${at.toString(16)}` }), "heavy", 700)).toBe(600);
    expect(admitted(forge, { address: "2001:db8:0:1::1" }, "heavy", 1)).toBe(1);
    const ofSite = (at: number) => ({ address: `2001:db8:1:${at.toString(16)}::1` });
    expect(admitted(forge, ofSite, "heavy", 10_000)).toBe(2_400);
    expect(admitted(forge, { address: "2001:db8:2::1" }, "heavy", 601)).toBe(600);
  });

  it("an IPv4 address in the form of IPv6 is the same caller", () => {
    const forge = makeForge();
    expect(admitted(forge, { address: "::ffff:192.0.2.9" }, "heavy", 700)).toBe(600);
    expect(admitted(forge, { address: "192.0.2.9" }, "heavy", 1)).toBe(0);
  });

  it("no network makes an account forgotten, and networks only by as many calls as are never worth it", () => {
    const forge = makeForge();
    const other = (at: number) => ({ address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` });
    admitted(forge, alice, "heavy", 600);
    admitted(forge, home, "heavy", 600);
    expect(admitted(forge, other, "heavy", 9_999)).toBe(9_999);
    expect(admitted(forge, home, "heavy", 1)).toBe(0);
    // Its memory is bounded: a caller who was refused just now counts as the latest.
    expect(admitted(forge, (at) => other(at + 10_000), "heavy", 10_000)).toBe(10_000);
    expect(admitted(forge, home, "heavy", 700)).toBe(600);
    expect(admitted(forge, (at) => other(at + 20_000), "heavy", 100_000)).toBe(100_000);
    expect(admitted(forge, alice, "heavy", 1)).toBe(0);
  });

  it("no text in the place of an address becomes a long key, and none at all is one caller", () => {
    const forge = makeForge();
    const long = (at: number) => ({ address: `${"x".repeat(10_000)}${at}` });
    expect(admitted(forge, long, "heavy", 700)).toBe(600);
    expect(admitted(forge, { address: "" }, "heavy", 700)).toBe(600);
  });

  it("a clock that is set back locks nobody out for longer than a minute", () => {
    const forge = makeForge();
    admitted(forge, home, "heavy", 600);
    clock.advance(-3_600_000);
    expect(admitted(forge, home, "heavy", 1)).toBe(0);
    clock.advance(60_000);
    expect(admitted(forge, home, "heavy", 700)).toBe(600);
  });

  it("RATE_LIMITS=false counts nothing", () => {
    expect(admitted(makeForge({ RATE_LIMITS: "false" }), home, "password", 1_000)).toBe(1_000);
  });

  it("the log tells of refusals once a minute, with how many there were meanwhile", () => {
    const forge = makeForge({ RATE_HEAVY: "1" });
    admitted(forge, home, "heavy", 101);
    expect(logged).toMatchObject([{ event: "rates:refused", kind: "heavy", caller: "192.0.2.1", before: 0 }]);
    clock.advance(60_000);
    admitted(forge, home, "heavy", 11);
    expect(logged.map(({ before }) => before)).toEqual([0, 99]);
  });
});
