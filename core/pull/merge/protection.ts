import { isRepositoryAdmin } from "../../access/modes.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import type { BranchProtection } from "../../branch-protection/branch-protection.table.ts";
import { listBranchProtections } from "../../branch-protection/branch-protection.ts";
import { protectedPath } from "../../branch-protection/judge-merge.ts";
import { ruleFinder } from "../../branch-protection/rule-for.ts";
import type { Code } from "../../code/open.ts";
import type { NewestStatus } from "../../commit-status/commit-status.table.ts";
import { newestStatuses, worst } from "../../commit-status/commit-status.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { isAncestor } from "../../git/history/merge-base.ts";
import { parseGlob } from "../../pattern/glob.ts";
import { MatchTime } from "../../pattern/match-time.ts";
import { Patterns } from "../../pattern/patterns.ts";
import { reviewProblems } from "../../review/approval.ts";
import type { PullRequest } from "../pull.table.ts";

/** A request on its way into its base: what is judged and made of it. */
export interface Merging {
  readonly access: RepositoryAccess;
  readonly actor: Actor;
  readonly pull: PullRequest;
  readonly code: Code;
  /** The base's tip. */
  readonly baseId: ObjectId;
  /** The rule that protects the base. */
  readonly rule: BranchProtection | undefined;
}

/** The rule that counts for a branch. */
export async function findRule(
  forge: Forge,
  repositoryId: number,
  branch: string,
): Promise<BranchProtection | undefined> {
  const rules = await listBranchProtections(forge, repositoryId);
  return rules.length === 0 ? undefined : ruleFinder(rules, new MatchTime())(branch);
}

/** Whether `force_merge` counts: it skips what the rule demands, for administrators. */
export const mayForce = ({ access, actor, rule }: Pick<Merging, "access" | "actor" | "rule">): boolean =>
  actor.user.isAdmin || (isRepositoryAdmin(access.rights) && rule?.appliesToAdmins !== true);

/** Each demand of the base's rule that the request does not meet, in words (semantics §22.3). */
export async function protectionProblems(forge: Forge, merging: Merging): Promise<readonly string[]> {
  const { pull, code, baseId, rule } = merging;
  if (rule === undefined) return [];
  const problems = [
    ...(await checkProblems(forge, pull, rule)),
    ...(await reviewProblems(forge, pull, rule)),
  ];
  if (rule.blocksOnOutdatedBranch && !(await isAncestor(code.history, baseId, pull.pull.headId))) {
    problems.push("the head is behind the base");
  }
  const touched = await protectedPath(rule, { code, baseId, headId: pull.pull.headId });
  return touched === undefined ? problems : [...problems, `${touched} may not be changed`];
}

async function checkProblems(
  forge: Forge,
  { repositoryId, pull }: PullRequest,
  { requiredContexts }: BranchProtection,
): Promise<string[]> {
  if (requiredContexts === undefined) return [];
  return contextProblems(await newestStatuses(forge, repositoryId, pull.headId), requiredContexts);
}

/** The checks that must succeed and have not; without globs all of them must, and at least one. */
export async function contextProblems(
  newest: readonly NewestStatus[],
  globs: readonly string[],
): Promise<string[]> {
  const problemOf = (name: string, states: readonly NewestStatus[]) => {
    const state = worst(states.map((one) => one.state)) ?? "pending";
    return state === "success" ? [] : [`${name}: ${state}`];
  };
  if (globs.length === 0) return problemOf("status checks", newest);
  const time = new MatchTime();
  const matched = globs.map((): NewestStatus[] => []);
  // A glob that can't be read matches nothing.
  const sources = globs.map((glob) => sourceOf(glob) ?? "[^\\s\\S]");
  const patterns = new Patterns(sources);
  for (const one of newest) {
    for (const at of await patterns.matching(one.context, time)) matched[at]?.push(one);
  }
  return globs.flatMap((glob, at) => problemOf(`status check ${glob}`, matched[at] ?? []));
}

function sourceOf(glob: string): string | undefined {
  const parsed = parseGlob(glob);
  return "source" in parsed ? parsed.source : undefined;
}
