import type { Actor } from "../actor.ts";
import type { BranchProtection } from "../branch-protection/branch-protection.table.ts";
import { listBranchProtections } from "../branch-protection/branch-protection.ts";
import { judgeBranch, tipsByRule } from "../branch-protection/judge.ts";
import { ruleFinder } from "../branch-protection/rule-for.ts";
import type { Forge } from "../forge.ts";
import type { RefChange, Verdict } from "../git/refs/check-changes.ts";
import { hiddenPrefix, isHiddenRef } from "../git/refs/hidden-refs.ts";
import { branchPrefix, tagPrefix } from "../git/refs/ref-name.ts";
import type { PushedObjects } from "../git/store/push/push.ts";
import type { RefSnapshot } from "../git/store/refs/snapshot.ts";
import { MatchingTooLong, MatchTime } from "../pattern/match-time.ts";
import { isRequestRef } from "../pull/by-push/request-ref.ts";
import { listTagProtections, tagProblems } from "../tag-protection/tag-protection.ts";
import type { BranchRename } from "./push.ts";
import type { Repository } from "./repository.table.ts";

/** Of those that no pull request is made of. */
const requestRefText =
  "refs/for/ takes one pull request at a time, into a repository's code, from who may write to it";

/** The verdict on a ref that does not depend on the repository's own rules. */
export function refVerdict({ root }: RefSnapshot, change: RefChange, rename?: BranchRename): Verdict {
  if (isHiddenRef(change.name)) return `${hiddenPrefix} is kept by the service`;
  if (change.name.startsWith("refs/pull/")) return "refs/pull/ is kept by the service";
  if (isRequestRef(change.name)) return requestRefText;
  if (change.new === undefined && change.name === root.head && rename?.from !== change.name) {
    return "the default branch can't be deleted; make another branch the default first";
  }
  return undefined;
}

/** A push whose refs the rules that protect branches must judge. */
export interface GuardedPush {
  readonly repository: Repository;
  readonly actor: Actor;
  /** As in CodePusher. */
  readonly isGuest: boolean;
  readonly changes: readonly RefChange[];
  readonly snapshot: RefSnapshot;
  readonly objects: PushedObjects;
  readonly rename: BranchRename | undefined;
}

/** The verdicts, with those of the rules on branches and tags where nothing was wrong yet. */
export const judgeByRules = async (
  forge: Forge,
  push: GuardedPush,
  verdicts: readonly Verdict[],
): Promise<readonly Verdict[]> => byTagProtection(forge, push, await byProtection(forge, push, verdicts));

/** The same without those on tags. */
async function byProtection(
  forge: Forge,
  { repository, actor, isGuest, changes, snapshot, objects, rename }: GuardedPush,
  verdicts: readonly Verdict[],
): Promise<readonly Verdict[]> {
  if (!changes.some(({ name }) => name.startsWith(branchPrefix))) return verdicts;
  const rules = await listBranchProtections(forge, repository.id);
  if (rules.length === 0) return verdicts;
  const time = new MatchTime();
  const ruleOf = ruleFinder(rules, time);
  const { ownerId } = repository;
  const guards: (BranchProtection | Verdict)[] = [];
  for (const [at, { name }] of changes.entries()) {
    // A renamed branch is not deleted; the right to rename is judged before.
    const isJudged = verdicts[at] === undefined && name.startsWith(branchPrefix) && name !== rename?.from;
    guards.push(isJudged ? await ruleOf(name.slice(branchPrefix.length)).catch(tooLong) : verdicts[at]);
  }
  const shared = {
    actor,
    isGuest,
    ownerId,
    time,
    snapshot,
    objects,
    tipsUnder: tipsByRule(snapshot, ruleOf),
  };
  return Promise.all(
    guards.map((rule, at) => {
      if (rule === undefined || typeof rule === "string") return rule;
      return judgeBranch(forge, { ...shared, rule, change: changes[at] as RefChange });
    }),
  );
}

/** A verdict in the place of MatchingTooLong. */
function tooLong(error: unknown): string {
  if (error instanceof MatchingTooLong) return "to find what protects it takes too long; push less at once";
  throw error;
}

/** The same of the rules on tags alone. */
async function byTagProtection(
  forge: Forge,
  { repository, actor, changes }: GuardedPush,
  verdicts: readonly Verdict[],
): Promise<readonly Verdict[]> {
  if (!changes.some(({ name }) => name.startsWith(tagPrefix))) return verdicts;
  const rules = await listTagProtections(forge, repository.id);
  if (rules.length === 0) return verdicts;
  const shortName = (name: string) => name.slice(tagPrefix.length);
  const tags = changes.flatMap(({ name }) => (name.startsWith(tagPrefix) ? [shortName(name)] : []));
  const { ownerId } = repository;
  const problems = await tagProblems(forge, rules, { ownerId, actor, tags }).catch(tooLong);
  return changes.map(({ name }, at) => {
    if (verdicts[at] !== undefined || !name.startsWith(tagPrefix)) return verdicts[at];
    return typeof problems === "string" ? problems : problems.get(shortName(name));
  });
}
