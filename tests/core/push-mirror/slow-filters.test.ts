import { expect, it } from "vitest";
import { MatchingTooLong, MatchTime } from "#core/pattern/match-time";
import { filteredNames } from "#core/push-mirror/branch-filter";
import { turnsDuring } from "#tests/support/thread-time";

/** As slow as a filter of a push mirror may be: 50 patterns in 1,000 characters. */
const slow = Array.from({ length: 50 }, (_, at) => `*a*a*a*a*a*a*a${at % 10}`).join(",");
const branches = Array.from({ length: 100 }, (_, at) => `refs/heads/${"a".repeat(190)}-${at}`);

it("a filter of a push mirror that takes too long is told", async () => {
  expect(slow.length).toBeLessThanOrEqual(1_000);
  const time = new MatchTime({ mostMs: 0 });
  await expect(filteredNames(slow, branches, time)).rejects.toThrow(MatchingTooLong);
});

it("a slow filter of a push mirror lets others have their turn, and finds what fits", async () => {
  // A turn for others after each, however fast or slow the machine is.
  const time = new MatchTime({ mostMs: Number.POSITIVE_INFINITY, sliceMs: 0 });
  const fitting = [`refs/heads/${"a".repeat(30)}7`, "refs/tags/v1"];
  const filter = async () =>
    expect([...(await filteredNames(slow, [...branches, ...fitting], time))]).toEqual(fitting);
  expect(await turnsDuring(filter)).toBeGreaterThanOrEqual(branches.length);
});
