import { type Code, findCommit } from "../../code/open.ts";
import { conflict } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { isObjectId, type ObjectId } from "../../git/format/object-format.ts";
import { isAncestor } from "../../git/history/merge-base.ts";
import { commitIssueChange } from "../../issue/change/change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import { equals } from "../../table/condition.ts";
import { put } from "../../table/write.ts";
import { getPull } from "../pull.ts";
import { newestCommon } from "../sides.ts";
import { type AfterMerge, dueAfterMerge } from "./after-merge.ts";
import { requireUnmerged } from "./check.ts";
import { planMerged } from "./merged.ts";
import type { Merging } from "./protection.ts";
import type { WantedMerge } from "./wanted.ts";

/**
 * Marks a request as merged by a commit of its base; no branch moves. The time of a merge by hand is that of its
 * commit. Conflict when the base does not lead to the commit. `leftMs`: as of `landMerge`.
 */
export async function markMerged(
  forge: Forge,
  merging: Merging,
  wanted: WantedMerge,
  leftMs: () => unknown = () => undefined,
): Promise<AfterMerge> {
  const { access, actor, pull, code, baseId } = merging;
  const commitId = await commitOf(code, baseId, wanted.commitId ?? "");
  const mergeBase = await newestCommon(code, baseId, pull.pull.headId);
  const isByHand = wanted.style === "manually-merged";
  const written = isByHand ? { at: (await code.history.commit(commitId)).commit.author.seconds } : {};
  const drawIds = entryIds(forge);
  const { write, after } = dueAfterMerge(forge, merging, commitId, wanted);
  await commitIssueChange(forge, access, async () => {
    const now = await getPull(forge, access, pull.number);
    requireUnmerged(now);
    const done = { commitId, mergeBase, ...written };
    const change = await planMerged(forge, now, done, { actor, entryIds: drawIds });
    leftMs();
    const writes = [...(change.writes ?? []), write];
    return { change: { ...change, writes }, issueWrite: put(change.issue, equals({ v: now.v })) };
  });
  return after;
}

async function commitOf(code: Code, baseId: ObjectId, text: string): Promise<ObjectId> {
  const id = text.toLowerCase();
  const found = isObjectId(code.history.format, id) ? await findCommit(code, id) : undefined;
  if (found === undefined || !(await isAncestor(code.history, found.id, baseId))) {
    throw conflict(`the base has no such commit; a whole id is expected [sha: ${text.slice(0, 64)}]`);
  }
  return found.id;
}
