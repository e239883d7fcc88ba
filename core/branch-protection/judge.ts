import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { reachesAll } from "../git/graph/reaches.ts";
import type { ObjectId } from "../git/object/object-format.ts";
import type { PushedObjects } from "../git/push.ts";
import { PushedHistory, TooMuchToJudge } from "../git/pushed-history.ts";
import type { RefChange, Verdict } from "../git/refs/check-changes.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import type { RefSnapshot } from "../git/refs/snapshot.ts";
import { mayPush } from "./allowed.ts";
import type { BranchProtection } from "./branch-protection.table.ts";
import { pathMatcher } from "./path-patterns.ts";
import { changedPaths, hasUnsignedCommits } from "./pushed-commits.ts";

/** A move of a protected branch, and what is needed to judge it. */
export interface JudgedPush {
  readonly actor: Actor;
  readonly ownerId: number;
  readonly rule: BranchProtection;
  /** Says which rule counts for a branch, by its short name. */
  readonly ruleOf: (branch: string) => BranchProtection | undefined;
  readonly change: RefChange;
  readonly snapshot: RefSnapshot;
  readonly objects: PushedObjects;
}

/** Beyond so many commits a push does not count as a fast-forward, and beyond so many objects nobody looks into it. */
const mostCommits = 100_000;

/** Why a rule refuses a push to a branch (semantics §29), or undefined. */
export async function judgeBranch(forge: Forge, push: JudgedPush): Promise<Verdict> {
  const { rule, change, objects } = push;
  const name = `the branch is protected by the rule ${rule.ruleName}`;
  if (change.new === undefined) return `${name}: it can't be deleted`;
  try {
    const problem = await problemOf(forge, push, change.new, new PushedHistory(objects, mostCommits));
    return problem && `${name}: ${problem}`;
  } catch (error) {
    if (error instanceof TooMuchToJudge) return `${name}: too much is changed at once; push it in parts`;
    throw error;
  }
}

async function problemOf(
  forge: Forge,
  push: JudgedPush,
  tip: ObjectId,
  history: PushedHistory,
): Promise<string | undefined> {
  const { rule, change, objects } = push;
  const { old } = change;
  if (old !== undefined && (await reachesAll(objects.read, [tip], [old], mostCommits)) !== "all") {
    return "no commits may be taken away (no forced pushes)";
  }
  const judged = heldByRule(push);
  if (!(await mayPush(forge, push.ownerId, push.actor, rule))) {
    const { unprotectedFiles } = rule;
    const isOpen = unprotectedFiles === "" ? () => false : pathMatcher(unprotectedFiles);
    const paths = unprotectedFiles === "" ? undefined : await changedPaths(history, tip, judged);
    if (paths === undefined || !paths.every(isOpen)) return "you may not push to it";
  }
  if (rule.requiresSignedCommits && (await hasUnsignedCommits(forge, history, tip, judged))) {
    return "its commits have to be signed";
  }
  if (rule.protectedFiles === "") return undefined;
  const touched = (await changedPaths(history, tip, heldByOthers(push))).find(
    pathMatcher(rule.protectedFiles),
  );
  return touched === undefined ? undefined : `${touched} may not be changed`;
}

/**
 * What the rule let in already: where the branch is; of a new one, the default branch and the other branches of its rule.
 * A branch that nobody guards counts for nothing, or whatever is pushed there could be given a guarded name.
 */
function heldByRule({ change, rule, ruleOf, snapshot }: JudgedPush): ObjectId[] {
  if (change.old !== undefined) return [change.old];
  return tipsOf(
    snapshot,
    (name) => name === snapshot.root.head || ruleOf(name.slice(branchPrefix.length)) === rule,
  );
}

/** What no file of a branch changed against: where it is; of a new one, all that other branches hold, as it begins there. */
function heldByOthers({ change, snapshot }: JudgedPush): ObjectId[] {
  return change.old === undefined ? tipsOf(snapshot, () => true) : [change.old];
}

const tipsOf = ({ refs }: RefSnapshot, counts: (name: string) => boolean): ObjectId[] => [
  ...new Set(
    refs.entries.flatMap(({ name, id }) => (name.startsWith(branchPrefix) && counts(name) ? [id] : [])),
  ),
];
