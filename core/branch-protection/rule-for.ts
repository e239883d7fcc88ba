import { parseGlob } from "../glob.ts";
import type { BranchProtection } from "./branch-protection.table.ts";

/** Whether a rule is for the one branch of its name, rather than a glob. */
export const isPlain = (ruleName: string): boolean => !/[*?[\]{}\\!]/.test(ruleName);

/**
 * Finds the rule that counts for a branch: one of exactly its name, else the first glob that fits (semantics §12.1).
 * The globs are compiled once for all branches that are asked for.
 */
export function ruleFinder(
  rules: readonly BranchProtection[],
): (branch: string) => BranchProtection | undefined {
  const plain = rules.filter(({ ruleName }) => isPlain(ruleName));
  const globs = rules.flatMap((rule) => {
    const glob = isPlain(rule.ruleName) ? undefined : parseGlob(rule.ruleName, "/");
    return glob !== undefined && "matches" in glob ? [{ rule, glob }] : [];
  });
  return (branch) =>
    plain.find(({ ruleName }) => ruleName.toLowerCase() === branch.toLowerCase()) ??
    globs.find(({ glob }) => glob.matches(branch))?.rule;
}
