import { afterEach, describe, expect, it } from "vitest";
import { type Cost, type Counted, countRequest, tryCount } from "#core/caller/rates";
import { admitted, alice, clock, expectRate, home, logged, makeForge } from "./counted.ts";

afterEach(() => logged.splice(0));

describe("rates (D-RATE)", () => {
  it.each([
    ["heavy", 2_400],
    ["git", 1_200],
    ["git-request", 4_800],
    ["password", 120],
  ] as const)("%s: %i at once by default, and as many again over a minute, evenly", expectRate);

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

  it("an IPv4 address in the form of IPv6 is the same caller", () => {
    const forge = makeForge();
    expect(admitted(forge, { address: "::ffff:192.0.2.9" }, "heavy", 700)).toBe(600);
    expect(admitted(forge, { address: "192.0.2.9" }, "heavy", 1)).toBe(0);
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
