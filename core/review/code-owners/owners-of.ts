import { MatchTime } from "../../pattern/match-time.ts";
import { expressionProblem, Patterns } from "../../pattern/patterns.ts";
import type { OwnedChange } from "./code-owners-task.ts";

/** What is read of the file, and whom it asks; further lines and owners have no effect. */
const most = { rules: 200, expression: 500, owners: 15, matchMs: 2_000 };

interface OwnerRule {
  readonly expression: string;
  /** The rule is for changes in which no file matches. */
  readonly isNegative: boolean;
  /** `user` or `organization/team`. */
  readonly owners: readonly string[];
}

/** The owners of what changes, in the order of their lines. MatchingTooLong when it takes too long. */
export async function ownersOf({ text, paths }: OwnedChange): Promise<string[]> {
  const rules = await rulesOf(text);
  const patterns = new Patterns(rules.map(({ expression }) => expression));
  const time = new MatchTime({ mostMs: most.matchMs });
  const matched = new Set<number>();
  for (const path of paths) {
    for (const at of await patterns.matching(path, time)) matched.add(at);
  }
  const owners = rules.flatMap((rule, at) => (matched.has(at) === rule.isNegative ? [] : rule.owners));
  return [...new Set(owners)].slice(0, most.owners);
}

/** An expression and its owners on each line; `#` begins a comment. Lines that can't be read have no effect. */
async function rulesOf(text: string): Promise<OwnerRule[]> {
  const rules: OwnerRule[] = [];
  for (const line of text.split("\n")) {
    const [first = "", ...named] = line
      .replace(/(^|\s)#.*$/, "")
      .trim()
      .split(/\s+/);
    const owners = named.flatMap((one) => (one.startsWith("@") ? [one.slice(1).toLowerCase()] : []));
    const isNegative = first.startsWith("!");
    const expression = isNegative ? first.slice(1) : first;
    if (expression === "" || expression.length > most.expression || owners.length === 0) continue;
    if ((await expressionProblem(expression)) !== undefined) continue;
    rules.push({ expression, isNegative, owners });
    if (rules.length >= most.rules) break;
  }
  return rules;
}
