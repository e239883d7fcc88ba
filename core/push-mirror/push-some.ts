import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { pushRemote } from "../git/client/push.ts";
import type { RemoteRefs } from "../git/client/remote.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { RefChange, RefResult } from "../git/refs/check-changes.ts";
import { visibleRepository } from "../git/refs/hidden-refs.ts";
import type { RefEntry, RefTable } from "../git/refs/ref-table.ts";
import { openRepository } from "../git/store/store.ts";
import { hasLfsObjects } from "../lfs/lfs.ts";
import { refusedText } from "../mirror/land.ts";
import { isMirrored } from "../mirror/ref-changes.ts";
import { MatchingTooLong } from "../pattern/match-time.ts";
import { wikiUrlOf } from "../remote/remote-address.ts";
import { addressFor, openCredentials } from "../remote/remote-client.ts";
import { filteredNames } from "./branch-filter.ts";
import { type PushMirror, pushMirrorSecretContext } from "./push-mirror.table.ts";

/** So many refs are pushed in one step; the next goes on behind others on the queue once the minute is over. */
export const refsAtOnce = 1_000;
/** A step moves at least about so many refs, if there are more. */
const fewRefs = 100;
/** So many refusals are remembered: a remote that refuses more ends the part. */
const mostRefused = 200;
const mostReason = 300;

/** How far a run is; plain values, stored between its steps. */
export interface RunCursor {
  readonly part: "lfs" | "code" | "wiki";
  /** How far the objects of Git LFS are, which go first. */
  readonly lfs?: LfsPushProgress;
  /** Steps that this part may still take: a remote that forgets what it took would keep us for ever. */
  readonly stepsLeft?: number;
  /** Refs that the remote refused in this part, as far as they are remembered: they are not tried again. */
  readonly refused: readonly RefResult[];
  /** What was wrong with the parts before. */
  readonly problem?: string | undefined;
}

/** A ref that follows its objects. */
export type FollowingRef = Pick<RefEntry, "name" | "id">;

/** How far the objects are: the id of the last one that is there, and what went wrong. */
export interface LfsPushProgress {
  readonly after?: string;
  readonly problem?: string;
  /** Only these refs follow, as they are here: others may name objects that nobody looked for. Absent: all do. */
  readonly refs?: readonly FollowingRef[];
  /** Other refs wait for their turn: the objects are looked at again once these have followed. */
  readonly isCut?: boolean;
  /** The repository had no objects when it was looked at; it may have some since. */
  readonly hadNone?: boolean;
}

/** Where a part goes on; or that all of it was tried, and which refs were refused; or why nothing can be pushed. */
export type Pushed =
  | { readonly kind: "goes-on"; readonly cursor: RunCursor }
  | { readonly kind: "done"; readonly problem?: string | undefined }
  | { readonly kind: "failed"; readonly problem: string };

/** Pushes some refs of a part of a repository, the code or the wiki: those in which the two sides differ by now. */
export async function pushSome(
  forge: Forge,
  gitId: number | undefined,
  mirror: PushMirror,
  cursor: RunCursor,
): Promise<Pushed> {
  const stored = gitId === undefined ? undefined : await openRepository(forge, gitId);
  if (stored === undefined || stored.refs.entries.length === 0) return { kind: "done" };
  // Asked after the refs were read: objects come before the commits that name them.
  if (cursor.lfs?.hadNone && (await sendsLfs(forge, mirror.repositoryId)))
    return { kind: "goes-on", cursor: again(cursor) };
  const git = visibleRepository(stored);
  const address = addressOf(forge, mirror, cursor.part);
  if (address === undefined) return failed("the credentials can't be read any more: add the mirror anew");
  const filter = cursor.part === "wiki" ? "" : mirror.branchFilter;
  let left: RefsLeft = { following: 0, waiting: 0 };
  const plan = async (remote: RemoteRefs) => {
    const changes = untried(await pushChanges(git.refs, remote, filter), cursor);
    const following = followingRefs(changes, cursor.lfs?.refs, await git.packs());
    const waiting = cursor.lfs?.isCut ? changes.filter(({ name }) => !following.names.has(name)).length : 0;
    left = { following: Math.max(0, following.changes.length - refsAtOnce), waiting };
    return following.changes.slice(0, refsAtOnce);
  };
  try {
    const pushed = await pushRemote(address, git, { plan });
    return pushed.ok ? after(cursor, pushed.value.results, left) : failed(pushed.reason.message);
  } catch (error) {
    if (error instanceof MatchingTooLong) return failed("matching the branch filter takes too long");
    throw error;
  }
}

/** Changes whose refs the remote did not refuse in this part. */
export function untried(changes: readonly RefChange[], { refused }: RunCursor): RefChange[] {
  const tried = new Set(refused.map(({ name }) => name));
  return changes.filter(({ name }) => !tried.has(name));
}

/** Changes as far as objects of Git LFS were looked for: to the commits of that moment; what came since has the next run. */
function followingRefs(
  changes: readonly RefChange[],
  refs: readonly FollowingRef[] | undefined,
  packs: { has(id: ObjectId): boolean },
) {
  const ids = refs && new Map(refs.map(({ name, id }) => [name, id]));
  const following = changes.flatMap((change): RefChange[] => {
    const id = ids === undefined ? change.new : ids.get(change.name);
    if (change.new === undefined || id === change.new) return [change];
    return id === undefined || id === change.old || !packs.has(id) ? [] : [{ ...change, new: id }];
  });
  return {
    changes: following,
    names: new Set([...(ids?.keys() ?? []), ...following.map(({ name }) => name)]),
  };
}

/** Objects of Git LFS are looked at once more, for the refs that did not follow. */
const again = ({ lfs, ...cursor }: RunCursor): RunCursor => ({
  ...{ ...cursor, part: "lfs", lfs: defined({ problem: lfs?.problem }) },
});

/** Whether objects of Git LFS go along. */
export const sendsLfs = async (forge: Forge, repositoryId: number): Promise<boolean> =>
  forge.config.lfsStartServer && (await hasLfsObjects(forge, repositoryId));

const failed = (problem: string): Pushed => ({ kind: "failed", problem });

/** Refs that differ still: those that may follow, and those whose objects come first. */
interface RefsLeft {
  readonly following: number;
  readonly waiting: number;
}

function after(cursor: RunCursor, results: readonly RefResult[], { following, waiting }: RefsLeft): Pushed {
  const left = following + waiting;
  const more = results.flatMap(({ name, refusal }) =>
    refusal === undefined ? [] : [{ name, refusal: refusal.slice(0, mostReason) }],
  );
  const refused = [...cursor.refused, ...more];
  if (left === 0 || refused.length > mostRefused) return { kind: "done", problem: refusedText(refused) };
  const stepsLeft = (cursor.stepsLeft ?? 2 * Math.ceil(left / Math.max(results.length, fewRefs)) + 1) - 1;
  if (stepsLeft < 0) return failed("the remote does not keep what is pushed");
  const next = { ...cursor, stepsLeft, refused };
  return { kind: "goes-on", cursor: following > 0 ? next : again(next) };
}

/** The remote as the git client takes it; undefined when the credentials were sealed by a key that is gone. */
export function addressOf(
  forge: Forge,
  mirror: PushMirror,
  part: RunCursor["part"],
): ReturnType<typeof addressFor> | undefined {
  const { repositoryId, name } = mirror;
  const url = part === "wiki" ? wikiUrlOf(mirror.url) : mirror.url;
  try {
    const credentials = openCredentials(forge, pushMirrorSecretContext(mirror), mirror.credentials);
    return addressFor(forge, { url, ...defined({ credentials }) });
  } catch (error) {
    forge.log.error("push-mirror:credentials-unreadable", { repositoryId, name, error });
    return undefined;
  }
}

/** What makes the remote's refs like ours, as far as the filter lets them through. */
export async function pushChanges(ours: RefTable, theirs: RemoteRefs, filter: string): Promise<RefChange[]> {
  const known = new Map(theirs.refs.filter(({ name }) => isMirrored(name)).map(({ name, id }) => [name, id]));
  const own = ours.entries.filter(({ name }) => isMirrored(name));
  const chosen = await filteredNames(filter, [...new Set([...known.keys(), ...own.map(({ name }) => name)])]);
  const gone = [...known]
    .filter(([name]) => chosen.has(name) && ours.find(name) === undefined)
    .map(([name, old]) => ({ name, old }));
  const moved = own
    .filter(({ name, id }) => chosen.has(name) && known.get(name) !== id)
    .map(({ name, id }) => ({ name, new: id, ...defined({ old: known.get(name) }) }));
  return [...gone, ...moved];
}
