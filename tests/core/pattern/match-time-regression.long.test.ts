import { describe, expect, it } from "vitest";
import type { BranchProtection } from "#core/branch-protection/branch-protection.table";
import { findPath } from "#core/branch-protection/internal/path-patterns";
import { ruleFinder } from "#core/branch-protection/rule-for";
import { MatchingTooLong, MatchTime } from "#core/pattern/match-time";
import { turnsDuring } from "#tests/support/thread-time";

/** Patterns made to be slow: every step of them stays open, whatever they are held against. */
const slow = (number: number): string => `${"*a".repeat(110)}${number}b`;
const slowPatterns = Array.from({ length: 40 }, (_, number) => slow(number)).join(";");
const paths = Array.from({ length: 5 }, (_, number) => "a".repeat(400 + number));
const rules = Array.from({ length: 99 }, (_, number) => ({ ruleName: slow(number) }) as BranchProtection);
const branch = "a".repeat(250);

/** Gives others their turn before each match, however fast or slow the machine is. */
const withoutSlice = { mostMs: Number.POSITIVE_INFINITY, sliceMs: 0 };

describe("patterns of rules on branches that were made to be slow", () => {
  it("let others have their turn while paths are matched", async () => {
    const time = new MatchTime(withoutSlice);
    const find = async () =>
      expect(await findPath(paths, slowPatterns, { isFor: true, time })).toBeUndefined();
    expect(await turnsDuring(find)).toBeGreaterThanOrEqual(paths.length);
  });

  it("let others have their turn while the rule of a branch is found, and are matched once with each", async () => {
    const ruleOf = ruleFinder(rules, new MatchTime(withoutSlice));
    const find = async () => expect(await ruleOf(branch)).toBeUndefined();
    expect(await turnsDuring(find)).toBeGreaterThanOrEqual(rules.length);
    expect(await turnsDuring(find)).toBe(0);
  });

  it("end the work once they took longer than it may", async () => {
    const time = new MatchTime({ mostMs: 0 });
    await expect(ruleFinder(rules, time)(branch)).rejects.toThrow(MatchingTooLong);
    const none = findPath(paths, slowPatterns, { isFor: false, time });
    await expect(none).rejects.toThrow(MatchingTooLong);
  });
});
