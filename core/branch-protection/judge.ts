import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { reachesAll } from "../git/history/find-unreached.ts";
import type { RefChange, Verdict } from "../git/refs/check-changes.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import type { PushedObjects } from "../git/store/push/push.ts";
import { PushedHistory, TooMuchToJudge } from "../git/store/push/pushed-history.ts";
import type { RefSnapshot } from "../git/store/refs/snapshot.ts";
import { lazy, lazyFor } from "../lazy.ts";
import { MatchingTooLong, type MatchTime } from "../pattern/match-time.ts";
import { mayPushByRule } from "./allowed.ts";
import type { BranchProtection } from "./branch-protection.table.ts";
import { findPath } from "./internal/path-patterns.ts";
import { changedPaths, hasUnsignedCommits } from "./internal/pushed-commits.ts";
import type { RuleFinder } from "./rule-for.ts";

/** A move of a protected branch, with everything needed to judge it. */
export interface GuardedMove {
  readonly actor: Actor;
  /** May not write to the repository: only a rule that names them lets them push. */
  readonly isGuest: boolean;
  readonly ownerId: number;
  readonly rule: BranchProtection;
  /** Tips that a rule has accepted already, for judging a new branch (`tipsByRule`). */
  readonly tipsUnder: (rule: BranchProtection) => Promise<readonly ObjectId[]>;
  /** Shared by the patterns of all rules that judge the push. */
  readonly time: MatchTime;
  readonly change: RefChange;
  readonly snapshot: RefSnapshot;
  readonly objects: PushedObjects;
}

/**
 * A push with more commits than this does not count as a fast-forward. Beyond this many objects nothing looks into it.
 */
const mostCommits = 100_000;

/** Why a rule refuses a push to a branch (semantics §29), or undefined. */
export async function judgeBranch(forge: Forge, push: GuardedMove): Promise<Verdict> {
  const { rule, change, objects } = push;
  const name = `the branch is protected by the rule ${rule.ruleName}`;
  if (change.new === undefined) return `${name}: it can't be deleted`;
  try {
    const problem = await problemOf(forge, push, change.new, new PushedHistory(objects, mostCommits));
    return problem && `${name}: ${problem}`;
  } catch (error) {
    if (error instanceof TooMuchToJudge || error instanceof MatchingTooLong)
      return `${name}: too much is changed at once; push it in parts`;
    throw error;
  }
}

async function problemOf(
  forge: Forge,
  push: GuardedMove,
  tip: ObjectId,
  history: PushedHistory,
): Promise<string | undefined> {
  const { rule, change, objects, time } = push;
  const { old } = change;
  if (old !== undefined && (await reachesAll(objects.read, [tip], [old], mostCommits)) !== "all") {
    return "no commits may be taken away (no forced pushes)";
  }
  const judged = await heldByRule(push);
  const isNamed = !push.isGuest || rule.pushers !== undefined;
  if (!isNamed || !(await mayPushByRule(forge, push.ownerId, push.actor, rule))) {
    const { unprotectedFiles } = rule;
    const isOpen =
      unprotectedFiles !== "" &&
      (await findPath(await changedPaths(history, tip, judged), unprotectedFiles, { isFor: false, time })) ===
        undefined;
    if (!isOpen) return "you may not push to it";
  }
  if (rule.requiresSignedCommits && (await hasUnsignedCommits(forge, history, tip, judged))) {
    return "its commits have to be signed";
  }
  if (rule.protectedFiles === "") return undefined;
  const paths = await changedPaths(history, tip, heldByOthers(push));
  const touched = await findPath(paths, rule.protectedFiles, { isFor: true, time });
  return touched === undefined ? undefined : `${touched} may not be changed`;
}

/**
 * The tips that a rule counts as accepted when it judges a new branch: those of the default branch and of the rule's
 * other branches. Branches are matched with rules once, when first needed. Tips of branches without a rule don't count:
 * anybody could push there, and then give the commits a protected name.
 */
export function tipsByRule(snapshot: RefSnapshot, ruleOf: RuleFinder): GuardedMove["tipsUnder"] {
  const sorted = lazy(async () => {
    const names = new Map<BranchProtection | undefined, Set<string>>();
    for (const { name } of snapshot.refs.entries) {
      const rule = name.startsWith(branchPrefix) ? await ruleOf(name.slice(branchPrefix.length)) : undefined;
      names.set(rule, (names.get(rule) ?? new Set()).add(name));
    }
    return names;
  });
  const tipsUnder = async (rule: BranchProtection) => {
    const names = (await sorted()).get(rule);
    return tipsOf(snapshot, (name) => name === snapshot.root.head || names?.has(name) === true);
  };
  return lazyFor(tipsUnder);
}

/** The commits that the rule has accepted already: the former tip, or for a new branch those of `tipsUnder`. */
const heldByRule = async ({ change, rule, tipsUnder }: GuardedMove): Promise<readonly ObjectId[]> =>
  change.old === undefined ? tipsUnder(rule) : [change.old];

/**
 * The base for comparing a branch's files: its former tip. A new branch begins on some branch, so its base is the tips
 * of all.
 */
function heldByOthers({ change, snapshot }: GuardedMove): ObjectId[] {
  return change.old === undefined ? tipsOf(snapshot, () => true) : [change.old];
}

const tipsOf = ({ refs }: RefSnapshot, counts: (name: string) => boolean): ObjectId[] => [
  ...new Set(
    refs.entries.flatMap(({ name, id }) => (name.startsWith(branchPrefix) && counts(name) ? [id] : [])),
  ),
];
