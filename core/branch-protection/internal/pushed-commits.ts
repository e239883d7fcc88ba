import { verifySigned } from "../../code/verification.ts";
import type { Forge } from "../../forge.ts";
import { sideOf } from "../../git/diff/file-change.ts";
import { diffTrees } from "../../git/diff/tree-diff.ts";
import { commitSignature, parseCommit } from "../../git/format/commit.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { entryName } from "../../git/format/tree.ts";
import { mergeBases } from "../../git/history/merge-base.ts";
import { RevisionWalk } from "../../git/history/revision-walk.ts";
import { type PushedHistory, TooMuchToJudge } from "../../git/store/push/pushed-history.ts";

const most = { commits: 5_000, changes: 20_000, trees: 20_000 };
const verifiedAtOnce = 100;

/**
 * Whether a commit that `tip` leads to, and none of `known` does, lacks a valid signature, whoever brought it here and
 * when. Throws TooMuchToJudge beyond 5,000 commits.
 */
export async function hasUnsignedCommits(
  forge: Forge,
  history: PushedHistory,
  tip: ObjectId,
  known: readonly ObjectId[],
): Promise<boolean> {
  if (known.includes(tip)) return false;
  const walk = new RevisionWalk(history, { tips: [tip], not: known });
  const ids: ObjectId[] = [];
  for (let found = await walk.next(); found !== undefined; found = await walk.next()) {
    ids.push(found.id);
    if (ids.length > most.commits) throw new TooMuchToJudge();
  }
  const header = history.format === "sha1" ? "gpgsig" : "gpgsig-sha256";
  for (let at = 0; at < ids.length; at += verifiedAtOnce) {
    const signed = [];
    for (const id of ids.slice(at, at + verifiedAtOnce)) {
      const data = await history.read(id, "commit");
      const signature = commitSignature(data, header);
      if (signature === undefined) return true;
      signed.push({ ...signature, email: parseCommit(data).committer.email });
    }
    const verifications = await verifySigned(forge, signed);
    if (!verifications.every(({ isVerified }) => isVerified)) return true;
  }
  return false;
}

/**
 * Paths under which a commit differs from the commit where its history leaves that of `known`; from nothing when the
 * two have none in common. Throws TooMuchToJudge when there are too many.
 */
export async function changedPaths(
  history: PushedHistory,
  tip: ObjectId,
  known: readonly ObjectId[],
): Promise<readonly string[]> {
  if (known.includes(tip)) return [];
  const [start] = known.length === 0 ? [] : await mergeBases(history, tip, ...known);
  const before = start === undefined ? undefined : (await history.links(start)).tree;
  const { tree } = await history.links(tip);
  const { changes, isCut } = await diffTrees(history, before, tree, most);
  if (isCut) throw new TooMuchToJudge();
  return changes.map((change) => entryName(sideOf(change).path));
}
