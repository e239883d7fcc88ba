import { findAccessById, type RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { type Code, openCode } from "../../code/open.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import type { History } from "../../git/history/history.ts";
import { logIds } from "../../git/history/log.ts";
import { issueKey } from "../../issue/issue.table.ts";
import { findUsersByEmail } from "../../user/email.ts";
import { isPullRequest, type PullRequest, pullOfHeadRef } from "../pull.table.ts";

/** New commits of a push among which the heads of requests are looked for, and the requests that have them, newest first. */
const most = { commits: 10_000, found: 100 };
const expected = ["conflict", "not-found", "not-applicable"] as const;

/** A branch that moved. */
interface MovedBase {
  readonly repositoryId: number;
  /** Short name. */
  readonly base: string;
  readonly old: ObjectId;
  readonly id: ObjectId;
}

/**
 * Marks the open requests as merged whose heads came to their base with a push, where the repository wants that
 * (semantics §22.5): on behalf of the author of the commit that brought them, though what follows counts as the pusher's
 * doing: who writes a commit names whom they like as its author. It may be repeated.
 */
export async function markArrived(
  forge: Forge,
  { repositoryId, base, old, id }: MovedBase,
  pusher: Actor,
): Promise<void> {
  const access = await findAccessById(forge, pusher, repositoryId);
  if (access?.repository.merge.autodetectManualMerge !== true) return;
  const code = await openCode(forge, repositoryId);
  const not = code.history.has(old) ? [old] : [];
  const { ids } = await logIds(code.history, { tips: [id], not, limit: most.commits });
  for (const pull of await pullsWithHeads(forge, code, repositoryId, ids)) {
    if (pull.isClosed || pull.pull.base !== base) continue;
    const commitId = await mergeOf(code.history, ids, pull.pull.headId);
    await markAsMerged(forge, { access, code, baseId: id, pull, commitId }, pusher);
  }
}

/** The requests whose heads are among these commits, by the refs that keep the heads: however many others there are. */
async function pullsWithHeads(
  { table }: Forge,
  { repository: { refs } }: Code,
  repositoryId: number,
  ids: readonly ObjectId[],
): Promise<PullRequest[]> {
  const numbers = ids
    .flatMap((id) => refs.pointingAt(id))
    .flatMap(({ name }) => pullOfHeadRef(name) ?? [])
    .sort((one, other) => other - one);
  const keys = numbers.slice(0, most.found).map((number) => issueKey(repositoryId, number));
  const known = new Set(ids);
  const found = [...(await table.getAll<PullRequest>(keys)).values()];
  return found.filter((issue) => isPullRequest(issue) && known.has(issue.pull.headId));
}

interface Arrived {
  readonly access: RepositoryAccess;
  readonly code: Code;
  readonly baseId: ObjectId;
  readonly pull: PullRequest;
  readonly commitId: ObjectId;
}

async function markAsMerged(
  forge: Forge,
  { access, code, baseId, pull, commitId }: Arrived,
  pusher: Actor,
): Promise<void> {
  const { email } = (await code.history.commit(commitId)).commit.author;
  const author = (await findUsersByEmail(forge, pusher, [email])).get(email.toLowerCase());
  const user = author ?? (access.owner.kind === "user" ? access.owner : pusher.user);
  const merging = { access, actor: { user, causerId: pusher.user.id }, pull, code, baseId, rule: undefined };
  try {
    const { markMerged } = await import("../merge/mark-merged.ts"); // few pushes need it
    const { afterMerge } = await import("../merge/after-merge.ts");
    const after = await markMerged(forge, merging, { style: "manually-merged", commitId });
    await afterMerge(forge, after, merging.actor);
  } catch (error) {
    // Merged, closed or removed by others meanwhile.
    if (!expected.some((kind) => isForgeError(error, kind))) throw error;
  }
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
