import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import type { RefChange } from "../../git/refs/check-changes.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { issueKey } from "../../issue/issue.table.ts";
import { keyText } from "../../table/write.ts";
import { judgePull } from "../judge.ts";
import { type OpenPullRow, openPullsInto, type PullRequest } from "../pull.table.ts";
import { markArrived } from "./mark-arrived.ts";

/** So many requests into a pushed branch are judged, newest first: the others are when somebody reads them. */
const mostPulls = 50;
const mostBranches = 10;
const patienceMs = 20_000;

/**
 * Looks at the open requests into the branches that a push moved: those whose heads came with it are marked as merged
 * where the repository wants that (semantics §22.5), and of the others the newest are judged. The work does not grow
 * with the number of open requests. It may be repeated.
 */
export async function followBases(
  forge: Forge,
  repositoryId: number,
  changes: readonly RefChange[],
  findActor: () => Promise<Actor>,
): Promise<void> {
  const until = performance.now() + patienceMs;
  const moved = changes.filter((one) => one.name.startsWith(branchPrefix) && one.old && one.new);
  for (const { name, old = "", new: id = "" } of moved.slice(0, mostBranches)) {
    const base = name.slice(branchPrefix.length);
    const place = openPullsInto(repositoryId, base);
    const { items } = await forge.table.query<OpenPullRow>({ ...place, reverse: true, limit: mostPulls });
    if (items.length === 0) continue;
    await markArrived(forge, { repositoryId, base, old, id }, await findActor());
    const keys = items.map((row) => issueKey(repositoryId, row.number));
    const pulls = await forge.table.getAll<PullRequest>(keys);
    for (const key of keys) {
      const pull = pulls.get(keyText(key));
      if (pull?.isClosed === false && performance.now() < until) await judgePull(forge, pull, id);
    }
  }
}
