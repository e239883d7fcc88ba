import type { Code } from "../code/open.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { PushedHistory, TooMuchToJudge } from "../git/store/push/pushed-history.ts";
import { MatchingTooLong, MatchTime } from "../pattern/match-time.ts";
import type { BranchProtection } from "./branch-protection.table.ts";
import { findPath } from "./internal/path-patterns.ts";
import { changedPaths, hasUnsignedCommits } from "./internal/pushed-commits.ts";

/** Two commits, and the objects that both lead to. */
export interface MergedSides {
  readonly code: Code;
  /** The protected branch's tip. */
  readonly baseId: ObjectId;
  /** The commit with what is to come. */
  readonly headId: ObjectId;
}

/** More commits and trees are not looked through. */
const mostJudged = 100_000;

/** A path that a merge would change and that a rule protects; undefined when there is none. */
export async function protectedPath(
  { protectedFiles }: BranchProtection,
  { code, baseId, headId }: MergedSides,
): Promise<string | undefined> {
  if (protectedFiles === "") return undefined;
  try {
    const paths = await changedPaths(historyOf(code), headId, [baseId]);
    return await findPath(paths, protectedFiles, { isFor: true, time: new MatchTime() });
  } catch (error) {
    if (error instanceof TooMuchToJudge || error instanceof MatchingTooLong) return "more than can be judged";
    throw error;
  }
}

/** Whether a rule demands signed commits, and one that a merge brings is not. */
export async function lacksSignature(
  forge: Forge,
  { requiresSignedCommits }: BranchProtection,
  { code, baseId, headId }: MergedSides,
): Promise<boolean> {
  if (!requiresSignedCommits) return false;
  try {
    return await hasUnsignedCommits(forge, historyOf(code), headId, [baseId]);
  } catch (error) {
    if (error instanceof TooMuchToJudge) return true;
    throw error;
  }
}

const historyOf = ({ history }: Code): PushedHistory =>
  new PushedHistory({ format: history.format, read: (id) => history.object(id) }, mostJudged);
