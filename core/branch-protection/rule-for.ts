import { parseGlob } from "../pattern/glob.ts";
import type { MatchTime } from "../pattern/match-time.ts";
import { Patterns } from "../pattern/patterns.ts";
import type { BranchProtection } from "./branch-protection.table.ts";

/** Whether a rule is for the one branch of its name, not a glob. */
export const isPlain = (ruleName: string): boolean => !/[*?[\]{}\\!]/.test(ruleName);

/** Finds the rule that counts for a branch, by its short name. MatchingTooLong when the time is over. */
export type RuleFinder = (branch: string) => Promise<BranchProtection | undefined>;

/**
 * Finds the rule that counts for a branch: the one of exactly its name, else the first glob that matches (semantics
 * §12.1). The globs are compiled once for all branches, and matched once with each.
 */
export function ruleFinder(rules: readonly BranchProtection[], time: MatchTime): RuleFinder {
  const plain = new Map(
    rules.filter(({ ruleName }) => isPlain(ruleName)).map((rule) => [rule.ruleName.toLowerCase(), rule]),
  );
  const globs = rules.flatMap((rule) => {
    const glob = isPlain(rule.ruleName) ? undefined : parseGlob(rule.ruleName, "/");
    return glob !== undefined && "source" in glob ? [{ rule, source: glob.source }] : [];
  });
  const patterns = new Patterns(globs.map(({ source }) => source));
  const known = new Map<string, BranchProtection | undefined>();
  const find: RuleFinder = async (branch) => {
    const [first = -1] = await patterns.matching(branch, time);
    return globs[first]?.rule;
  };
  return async (branch) => {
    const named = plain.get(branch.toLowerCase());
    if (named !== undefined) return named;
    if (!known.has(branch)) known.set(branch, await find(branch));
    return known.get(branch);
  };
}
