import { containersOf, partsOf, type QuotaSubject, sizeOf, type Usage } from "./subject.ts";

/** A limit in bytes on the sum of some subjects; −1: none (D-QUOTA-EDGE). */
export interface QuotaLimit {
  readonly limit: number;
  readonly subjects: readonly QuotaSubject[];
}

/** The judgment of a rule or a group on a subject; undefined: it limits nothing there. */
export type Verdict = "within" | "exceeded" | undefined;

/** The limit of rules that limit nothing. */
export const unlimited = -1;

const alwaysWithin: readonly QuotaSubject[] = ["none", "size:wiki", "size:assets:wiki"];

/**
 * Whether an owner who uses this much is within their quota of a subject: at least one of their groups must not object
 * (D-QUOTA-NONE). Without any group `total` limits everything (semantics §18.3).
 */
export function isWithinQuota(
  groups: readonly (readonly QuotaLimit[])[],
  total: number,
  usage: Usage,
  subject: QuotaSubject,
): boolean {
  if (alwaysWithin.includes(subject)) return true;
  const judged = groups.length > 0 ? groups : [[{ limit: total, subjects: ["size:all"] }] as const];
  return judged.some((rules) => judgeGroup(rules, usage, subject) !== "exceeded");
}

/**
 * The judgment of a group on a subject. Rules that name the subject, or something that contains it, come first. Where
 * none of these limits anything, the rules of its parts decide, so that the whole shows a violated part.
 */
export function judgeGroup(rules: readonly QuotaLimit[], usage: Usage, subject: QuotaSubject): Verdict {
  const containers = containersOf(subject);
  const covering = rules.filter(({ subjects }) => subjects.some((one) => containers.includes(one)));
  if (covering.some((rule) => !stands(rule, usage))) return "exceeded";
  if (covering.some(({ limit }) => limit !== unlimited)) return "within";
  const verdicts = partsOf(subject).map((part) => judgeGroup(rules, usage, part));
  if (verdicts.includes("exceeded")) return "exceeded";
  return covering.length > 0 || verdicts.includes("within") ? "within" : undefined;
}

/** A rule stands while the sum of all its subjects is strictly below its limit (D-QUOTA-EDGE). */
function stands({ limit, subjects }: QuotaLimit, usage: Usage): boolean {
  return limit === unlimited || subjects.reduce((sum, subject) => sum + sizeOf(subject, usage), 0) < limit;
}
