import { describe, expect, it } from "vitest";
import { admitted, alice, expectRate, home, makeForge } from "./counted.ts";

describe("rates (D-RATE)", () => {
  it("light: 60000 at once by default, and as many again over a minute, evenly", () => {
    expectRate("light", 60_000);
  });

  it("of IPv6 64 bits are one network, and a site of 48 bits sends no more than four of them", () => {
    const forge = makeForge();
    expect(admitted(forge, (at) => ({ address: `2001:db8::${at.toString(16)}` }), "heavy", 700)).toBe(600);
    expect(admitted(forge, { address: "2001:db8:0:1::1" }, "heavy", 1)).toBe(1);
    const ofSite = (at: number) => ({ address: `2001:db8:1:${at.toString(16)}::1` });
    expect(admitted(forge, ofSite, "heavy", 10_000)).toBe(2_400);
    expect(admitted(forge, { address: "2001:db8:2::1" }, "heavy", 601)).toBe(600);
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
});
