import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { pushRemote } from "../git/client/push.ts";
import type { RemoteRefs } from "../git/client/remote.ts";
import type { RefChange, RefResult } from "../git/refs/check-changes.ts";
import { visibleRepository } from "../git/refs/hidden-refs.ts";
import type { RefTable } from "../git/refs/ref-table.ts";
import { openRepository } from "../git/store/store.ts";
import { refusedText } from "../mirror/land.ts";
import { isMirrored } from "../mirror/ref-changes.ts";
import { MatchingTooLong } from "../pattern/match-time.ts";
import { wikiUrlOf } from "../remote/remote-address.ts";
import { addressFor, openCredentials } from "../remote/remote-client.ts";
import { filteredNames } from "./branch-filter.ts";
import { type PushMirror, pushMirrorSecretContext } from "./push-mirror.table.ts";

/** So many refs are pushed in one step; the next goes on behind others on the queue once the minute is over. */
const refsAtOnce = 1_000;
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

/** How far the objects are: the id of the last one that is there, and what went wrong. */
export interface LfsPushProgress {
  readonly after?: string;
  readonly problem?: string;
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
  const git = visibleRepository(stored);
  const address = addressOf(forge, mirror, cursor.part);
  if (address === undefined) return failed("the credentials can't be read any more: add the mirror anew");
  const tried = new Set(cursor.refused.map(({ name }) => name));
  const filter = cursor.part === "wiki" ? "" : mirror.branchFilter;
  let left = 0;
  const plan = async (remote: RemoteRefs) => {
    const changes = (await pushChanges(git.refs, remote, filter)).filter(({ name }) => !tried.has(name));
    left = Math.max(0, changes.length - refsAtOnce);
    return changes.slice(0, refsAtOnce);
  };
  try {
    const pushed = await pushRemote(address, git, { plan });
    return pushed.ok ? after(cursor, pushed.value.results, left) : failed(pushed.reason.message);
  } catch (error) {
    if (error instanceof MatchingTooLong) return failed("matching the branch filter takes too long");
    throw error;
  }
}

const failed = (problem: string): Pushed => ({ kind: "failed", problem });

function after(cursor: RunCursor, results: readonly RefResult[], left: number): Pushed {
  const more = results.flatMap(({ name, refusal }) =>
    refusal === undefined ? [] : [{ name, refusal: refusal.slice(0, mostReason) }],
  );
  const refused = [...cursor.refused, ...more];
  if (left === 0 || refused.length > mostRefused) return { kind: "done", problem: refusedText(refused) };
  const stepsLeft = (cursor.stepsLeft ?? 2 * Math.ceil(left / refsAtOnce) + 1) - 1;
  if (stepsLeft < 0) return failed("the remote does not keep what is pushed");
  return { kind: "goes-on", cursor: { ...cursor, stepsLeft, refused } };
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
