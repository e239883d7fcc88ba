import { findAccessById } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { openCode } from "../code/open.ts";
import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { History } from "../git/history/history.ts";
import { logIds } from "../git/history/log.ts";
import type { RefChange } from "../git/refs/check-changes.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { issueKey } from "../issue/issue.table.ts";
import { keyText } from "../table/write.ts";
import { findUsersByEmail } from "../user/email.ts";
import { judgePull } from "./judge.ts";
import { type OpenPullRow, openPullsInto, type PullRequest } from "./pull.table.ts";

/** So many requests into a pushed branch are looked at, newest first: the others are judged when somebody reads them. */
const mostPulls = 50;
const mostBranches = 10;
/** New commits of a push among which the heads of requests are looked for. */
const mostCommits = 10_000;
const patienceMs = 20_000;
const expected = ["conflict", "not-found", "not-applicable"] as const;

/**
 * Looks at the newest open requests into the branches that a push moved: those whose head came with it are marked as
 * merged where the repository wants that (semantics §22.5), and the others are judged. The work does not grow with the
 * number of open requests. It may be repeated.
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
    const place = openPullsInto(repositoryId, name.slice(branchPrefix.length));
    const { items } = await forge.table.query<OpenPullRow>({ ...place, reverse: true, limit: mostPulls });
    if (items.length === 0) continue;
    const read = await forge.table.getAll<PullRequest>(
      items.map((row) => issueKey(repositoryId, row.number)),
    );
    const pulls = items.flatMap((row) => read.get(keyText(issueKey(repositoryId, row.number))) ?? []);
    const merged = await markArrived(forge, pulls, { old, id }, await findActor());
    for (const pull of pulls) {
      const isDue = !pull.isClosed && !merged.has(pull.number) && performance.now() < until;
      if (isDue) await judgePull(forge, pull, id);
    }
  }
}

/** Marks the requests whose head came to their base with a push; answers their numbers. */
async function markArrived(
  forge: Forge,
  pulls: readonly PullRequest[],
  { old, id }: { readonly old: ObjectId; readonly id: ObjectId },
  pusher: Actor,
): Promise<ReadonlySet<number>> {
  const marked = new Set<number>();
  const [first] = pulls;
  const access = first && (await findAccessById(forge, pusher, first.repositoryId));
  if (access?.repository.merge.autodetectManualMerge !== true) return marked;
  const code = await openCode(forge, access.repository.id);
  const not = code.history.has(old) ? [old] : [];
  const { ids } = await logIds(code.history, { tips: [id], not, limit: mostCommits });
  for (const pull of pulls) {
    if (pull.isClosed || !ids.includes(pull.pull.headId)) continue;
    const commitId = await mergeOf(code.history, ids, pull.pull.headId);
    const { email } = (await code.history.commit(commitId)).commit.author;
    const author = (await findUsersByEmail(forge, pusher, [email])).get(email.toLowerCase());
    const user = author ?? (access.owner.kind === "user" ? access.owner : pusher.user);
    const merging = { access, actor: { user }, pull, code, baseId: id, rule: undefined };
    try {
      const { markMerged } = await import("./merge/mark-merged.ts"); // few pushes need it
      const { afterMerge } = await import("./merge/after-merge.ts");
      const after = await markMerged(forge, merging, { style: "manually-merged", commitId });
      await afterMerge(forge, after, merging.actor);
      marked.add(pull.number);
    } catch (error) {
      // Merged, closed or removed by others meanwhile.
      if (!expected.some((kind) => isForgeError(error, kind))) throw error;
    }
  }
  return marked;
}

/** The first merge, of new commits newest first, that brought a head; the head itself when it was no merge. */
async function mergeOf(history: History, ids: readonly ObjectId[], head: ObjectId): Promise<ObjectId> {
  const holds = new Set([head]);
  for (const id of ids.toReversed()) {
    const { parents } = await history.links(id);
    if (!parents.some((parent) => holds.has(parent))) continue;
    if (parents.length > 1) return id;
    holds.add(id);
  }
  return head;
}
