import { describe, expect, it } from "vitest";
import { formatInterval, parseInterval } from "#core/repository/mirror";

describe("intervals of mirrors (semantics §5)", () => {
  it.each([
    ["0", 0],
    ["0s", 0],
    ["8h30m0s", 30_600],
    ["10m", 600],
    ["1.5h", 5_400],
    ["90m", 5_400],
    ["1500ms", 2],
    ["87600h", 315_360_000],
  ])("%s are %i seconds", (text, seconds) => expect(parseInterval(text)).toBe(seconds));

  it.each(["", "8", "-1h", "h", "1d", "1h 5m", "1e3s", "nonsense", "87601h", `${"1s".repeat(50)}`])(
    "%j is none",
    (text) => expect(parseInterval(text)).toBeUndefined(),
  );

  it.each([
    [0, "0s"],
    [600, "10m0s"],
    [28_800, "8h0m0s"],
    [5_410, "1h30m10s"],
  ])("%i seconds are written %s", (seconds, text) => {
    expect(formatInterval(seconds)).toBe(text);
    expect(parseInterval(text)).toBe(seconds);
  });
});
