import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { reachesAll } from "../git/graph/reaches.ts";
import type { PushedObjects } from "../git/push.ts";
import type { RefChange, Verdict } from "../git/refs/check-changes.ts";
import { parseGlob } from "../glob.ts";
import { mayPush } from "./allowed.ts";
import type { BranchProtection } from "./branch-protection.table.ts";
import { changedPaths, hasUnsignedCommits } from "./pushed-commits.ts";

/** A move of a protected branch, and what is needed to judge it. */
export interface JudgedPush {
  readonly actor: Actor;
  readonly ownerId: number;
  readonly rule: BranchProtection;
  readonly change: RefChange;
  readonly objects: PushedObjects;
}

/** Beyond so many commits a push does not count as a fast-forward. */
const mostCommits = 100_000;

/** Why a rule refuses a push to a branch (semantics §29), or undefined. */
export async function judgeBranch(forge: Forge, push: JudgedPush): Promise<Verdict> {
  const { rule, change, objects } = push;
  const { old, new: id } = change;
  const name = `the branch is protected by the rule ${rule.ruleName}`;
  if (id === undefined) return `${name}: it can't be deleted`;
  if (old !== undefined && (await reachesAll(objects.read, [id], [old], mostCommits)) !== "all") {
    return `${name}: no commits may be taken away (no forced pushes)`;
  }
  const isAllowed = await mayPush(forge, push.ownerId, push.actor, rule);
  const needsPaths = rule.protectedFiles !== "" || (!isAllowed && rule.unprotectedFiles !== "");
  const paths = needsPaths ? await changedPaths(objects, old, id) : undefined;
  if (!isAllowed && !areAll(paths, rule.unprotectedFiles)) return `${name}: you may not push to it`;
  if (rule.requiresSignedCommits && (await hasUnsignedCommits(forge, objects, id))) {
    return `${name}: its commits have to be signed`;
  }
  const isProtected = matcher(rule.protectedFiles);
  const touched = paths === undefined ? undefined : paths.find(isProtected);
  if (touched !== undefined) return `${name}: ${touched} may not be changed`;
  return needsPaths && paths === undefined ? `${name}: too many files are changed at once` : undefined;
}

const areAll = (paths: readonly string[] | undefined, patterns: string): boolean =>
  patterns !== "" && paths !== undefined && paths.length > 0 && paths.every(matcher(patterns));

/** Globs with `;` between them, whatever the case; `.` and `/` part names (semantics §12.2). */
function matcher(patterns: string): (path: string) => boolean {
  const globs = patterns
    .split(";")
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => pattern !== "")
    .flatMap((pattern) => {
      const glob = parseGlob(pattern, "./");
      return "matches" in glob ? [glob] : [];
    });
  return (path) => globs.some((glob) => glob.matches(path.toLowerCase()));
}
