import { createHash } from "node:crypto";
import { BlobMissing } from "../blobs/bucket.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { openRemote, type RemoteRefs } from "../git/client/remote.ts";
import { RemoteError, type RemoteFailure, remoteOutcome } from "../git/client/remote-failure.ts";
import { visibleRepository } from "../git/refs/hidden-refs.ts";
import { encodeRefName } from "../git/refs/ref-name.ts";
import { openHistory } from "../git/store/commit-graph/load-graph.ts";
import { type OpenRepository, openRepository } from "../git/store/store.ts";
import type { LfsObject } from "../lfs/lfs.table.ts";
import { findLfsObjects, readLfsObject } from "../lfs/lfs.ts";
import { findLfsPointers } from "../lfs/named-objects.ts";
import { MatchingTooLong } from "../pattern/match-time.ts";
import { askLfsRemote, type LfsOffer, lfsBatchObjects } from "../remote/lfs/batch.ts";
import { groupsToTransfer } from "../remote/lfs/groups.ts";
import { type LfsRemote, lfsRemote } from "../remote/lfs/lfs-remote.ts";
import { sendLfsObject } from "../remote/lfs/transfer.ts";
import { remoteClient } from "../remote/remote-client.ts";
import type { PushMirror } from "./push-mirror.table.ts";
import {
  addressOf,
  type FollowingRef,
  type LfsPushProgress,
  pushChanges,
  type RunCursor,
  refsAtOnce,
  sendsLfs,
  untried,
} from "./push-some.ts";

/**
 * `failed`: the refs must not follow, for their objects are not there. `over` with a problem: they may all the same,
 * those that `progress` says. `hasSent`: it took a while.
 */
export type LfsPushStep =
  | { readonly kind: "further"; readonly progress: LfsPushProgress }
  | { readonly kind: "over"; readonly progress: LfsPushProgress; readonly hasSent: boolean }
  | { readonly kind: "failed"; readonly problem: string };

/** No transfer begins later in a step. */
const stepMs = 20_000;
/** So much of refs a cursor holds. */
const mostRefBytes = 100_000;

/**
 * Sends the objects of Git LFS that the commits to be pushed name, as far as the repository has them: before the commits,
 * as clients of Git LFS do. After a run with a problem all commits count. A remote without Git LFS gets the pointers
 * alone.
 */
export async function pushLfs(forge: Forge, mirror: PushMirror, cursor: RunCursor): Promise<LfsPushStep> {
  const { repositoryId } = mirror;
  const before = cursor.lfs ?? {};
  if (!(await sendsLfs(forge, repositoryId))) return over(false, { ...before, hadNone: true });
  const stored = await openRepository(forge, repositoryId);
  const address = addressOf(forge, mirror, "lfs");
  if (stored === undefined || address === undefined) return over(false, before); // the refs' step says why
  const remote = lfsRemote(remoteClient(forge.config), address);
  try {
    const outcome = await remoteOutcome(async () => {
      if (mirror.problem !== undefined) await requireLfs(remote);
      const { advertised } = await openRemote(address, "git-receive-pack");
      const pushing: Pushing = { forge, mirror, stored, advertised };
      const progress = before.refs === undefined ? await begun(pushing, cursor) : before;
      const oids = await namedObjects(pushing, progress.refs ?? []);
      return sendObjects({ forge, remote, repositoryId }, oids, progress);
    });
    return outcome.ok ? outcome.value : failedStep(before, outcome.reason);
  } catch (error) {
    if (error instanceof MatchingTooLong) return over(false, before); // the same
    throw error;
  }
}

function failedStep({ problem: before }: LfsPushProgress, { kind, message }: RemoteFailure): LfsPushStep {
  const problem = `Git LFS: ${message}`;
  return kind === "not-found" ? over(false, { problem: before ?? problem }) : { kind: "failed", problem };
}

const over = (hasSent: boolean, progress: LfsPushProgress): LfsPushStep => ({
  kind: "over",
  hasSent,
  progress,
});

/** Every repository may have it: asking for it tells a remote nothing. */
const emptyObject = { oid: createHash("sha256").digest("hex"), sizeBytes: 0 };

/** Throws RemoteError when a remote says that it has no LFS server: before a whole history is searched for it. */
async function requireLfs(remote: LfsRemote): Promise<void> {
  const asked = await remoteOutcome(() => askLfsRemote(remote, "download", [emptyObject]));
  if (!asked.ok && asked.reason.kind === "not-found") {
    throw new RemoteError(asked.reason.kind, asked.reason.message);
  }
}

/** What is to be pushed, and what the remote has. */
interface Pushing {
  readonly forge: Forge;
  readonly mirror: PushMirror;
  readonly stored: OpenRepository;
  readonly advertised: RemoteRefs;
}

/** Settles which refs the objects are looked for of; those follow, as they are now. */
async function begun({ mirror, stored, advertised }: Pushing, cursor: RunCursor): Promise<LfsPushProgress> {
  const git = visibleRepository(stored);
  const changes = untried(await pushChanges(git.refs, advertised, mirror.branchFilter), cursor);
  const moved = changes.flatMap(({ name, new: id }) => (id === undefined ? [] : [{ name, id }]));
  let bytes = 0;
  const refs = moved.slice(0, refsAtOnce).filter(({ name, id }) => {
    bytes += encodeRefName(name).length + id.length;
    return bytes <= mostRefBytes;
  });
  return { ...cursor.lfs, refs, isCut: refs.length < moved.length };
}

/** The ids of the objects that the commits name which the remote lacks, in order. */
async function namedObjects(
  { forge, mirror, stored, advertised }: Pushing,
  refs: readonly FollowingRef[],
): Promise<string[]> {
  const git = visibleRepository(stored);
  const packs = await git.packs();
  const isAll = mirror.problem !== undefined;
  const every = isAll ? await pushChanges(git.refs, { refs: [] }, mirror.branchFilter) : [];
  const ids = new Set([...refs.map(({ id }) => id), ...every.flatMap((change) => change.new ?? [])]);
  const wants = [...ids].filter((id) => packs.has(id));
  if (wants.length === 0) return [];
  const haves = isAll ? [] : advertised.refs.map(({ id }) => id).filter((id) => packs.has(id));
  const history = await openHistory(forge, stored, { compute: forge.compute });
  return (await findLfsPointers({ history, wants, haves })).map(({ oid }) => oid).sort();
}

interface Sending {
  readonly forge: Forge;
  readonly remote: LfsRemote;
  readonly repositoryId: number;
}

async function sendObjects(
  sending: Sending,
  oids: readonly string[],
  progress: LfsPushProgress,
): Promise<LfsPushStep> {
  const { forge, remote, repositoryId } = sending;
  const { after = "" } = progress;
  const left = oids.filter((oid) => oid > after);
  const until = forge.clock.now() + stepMs;
  let now = progress;
  for (let at = 0; at < left.length; at += lfsBatchObjects) {
    const some = left.slice(at, at + lfsBatchObjects);
    const held = await findLfsObjects(forge, repositoryId, some);
    const own = some.flatMap((oid) => held.get(oid) ?? []);
    const offers = own.length === 0 ? [] : await askLfsRemote(remote, "upload", own.map(pointerOf));
    for (const group of groupsToTransfer(offers)) {
      if (now !== progress && forge.clock.now() > until) return { kind: "further", progress: now };
      const problems = await Promise.all(group.map((offer) => sendOne(sending, offer, held.get(offer.oid))));
      now = { ...now, ...defined({ problem: now.problem ?? problems.find((one) => one !== undefined) }) };
      now = { ...now, ...defined({ after: group.at(-1)?.oid }) };
    }
  }
  return over(left.length > 0, now);
}

const pointerOf = ({ oid, sizeBytes }: LfsObject) => ({ oid, sizeBytes });

/** Answers what is wrong with this object alone. Throws RemoteError when it can't be sent. */
async function sendOne(
  { forge, remote }: Sending,
  offer: LfsOffer,
  object: LfsObject | undefined,
): Promise<string | undefined> {
  if (offer.kind === "there" || object === undefined) return undefined;
  if (offer.kind === "refused") return `Git LFS: ${offer.reason}: ${offer.oid}`;
  try {
    await sendLfsObject(remote, offer, offer, readLfsObject(forge, object));
    return undefined;
  } catch (error) {
    if (error instanceof BlobMissing) return `Git LFS: the content of ${offer.oid} is lost here`;
    throw error;
  }
}
