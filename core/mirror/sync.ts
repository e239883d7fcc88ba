import { BlobMissing } from "../blobs/bucket.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { readRemoteRefs } from "../git/client/fetch.ts";
import { fetchSlice } from "../git/client/fetch-slice.ts";
import type { RemoteRefs } from "../git/client/remote.ts";
import { type RemoteFailure, remoteOutcome } from "../git/client/remote-failure.ts";
import { beginFetch, collectFetch, type StagedFetch } from "../git/client/staged-fetch.ts";
import type { PackEntry } from "../git/pack/pack-files.ts";
import type { RefResult } from "../git/refs/check-changes.ts";
import { stagedPacks } from "../git/store/staged-packs.ts";
import { type OpenRepository, openRepository } from "../git/store/store.ts";
import type { JobKind, JobStep } from "../jobs/job.ts";
import { wikiUrlOf } from "../remote/remote-address.ts";
import { withWiki } from "../wiki/store.ts";
import { endSync, type SyncEnd } from "./end-sync.ts";
import { type Fetched, type Landing, landMirror, refusedText } from "./land.ts";
import { bringLfs, forgetWantedLfs } from "./lfs/bring-lfs.ts";
import type { LfsProgress } from "./lfs/lfs-progress.ts";
import { noteWantedLfs } from "./lfs/note-wanted.ts";
import { mirroredPrefixes } from "./ref-changes.ts";
import { findSource, isFollowing, mirrorActor, type SourcedRepository, sourceAddress } from "./source.ts";
import { landWiki } from "./wiki.ts";

/** How far a sync is; plain values, stored between its steps. */
interface SyncCursor {
  readonly part: "code" | "lfs" | "wiki";
  readonly staged?: StagedFetch;
  /** How far the objects of Git LFS are. */
  readonly lfs?: LfsProgress;
  /** Times that the source fell silent within this sync. */
  readonly silences: number;
  /** The branch that the code's HEAD names, and what was left out: found by the part of the code. */
  readonly head?: string;
  readonly problem?: string;
}

/** The packs that have come in a job's present part. */
export const stagedIn = (cursor: object | undefined): readonly PackEntry[] =>
  (cursor as SyncCursor | undefined)?.staged?.packs ?? [];

type SyncStep = JobStep<SyncCursor>;

/** A part of a sync: the git data that it goes into, and where it comes from. */
interface SyncPart {
  readonly forge: Forge;
  readonly sourced: SourcedRepository;
  readonly git: OpenRepository;
  readonly url: string;
  readonly cursor: SyncCursor;
}

const mostSilences = 3;
const silenceMs = 60_000;

/**
 * Brings over the source's code, then its wiki, slice by slice: each step stores what came, so that a worker that is
 * killed loses one slice. What the source does wrong ends the sync with a problem for people to read.
 */
export const syncMirror: JobKind<{ readonly repositoryId: number }, SyncCursor> = {
  async step(forge, { repositoryId }, cursor = { part: "code", silences: 0 }) {
    const sourced = await findSource(forge, repositoryId);
    if (sourced === undefined) return { done: true };
    const { repository, source } = sourced;
    const gitId = cursor.part === "wiki" ? repository.wikiId : repositoryId;
    const git = gitId === undefined ? undefined : await openRepository(forge, gitId);
    if (git === undefined) {
      await endSync(forge, repositoryId, heldBy(cursor));
      return { done: true };
    }
    const url = cursor.part === "wiki" ? wikiUrlOf(source.url) : source.url;
    const part: SyncPart = { forge, sourced, git, url, cursor };
    if (!isFollowing(repository)) return left(part);
    if (cursor.part === "lfs") return lfsOn(part);
    return fetchOn(part).catch((error: unknown) => begunAnew(part, error));
  },
};

/** The end for a repository that follows its source no more. */
async function left(part: SyncPart): Promise<SyncStep> {
  const { repository, source } = part.sourced;
  if (source.hasLfs) await forgetWantedLfs(part.forge, repository.id);
  return discarded(part);
}

async function discarded(part: SyncPart): Promise<SyncStep> {
  await discard(part);
  return { done: true };
}

/**
 * Packs that came and are gone make the part begin anew: a worker that was killed, or that had lost its lease, threw
 * them away. Other errors are thrown on.
 */
function begunAnew({ git, cursor }: SyncPart, error: unknown): SyncStep {
  const isOfStaged =
    error instanceof BlobMissing && stagedIn(cursor).some(({ key }) => error.key.startsWith(key));
  if (!isOfStaged) throw error;
  return { cursor: { ...cursor, staged: beginFetch(git) } };
}

async function fetchOn(part: SyncPart): Promise<SyncStep> {
  const { forge, sourced, git, url, cursor } = part;
  const { staged } = cursor;
  // The fetch has a name before anything lies under it: whatever a kill leaves there goes with it.
  if (staged === undefined) return { cursor: { ...cursor, staged: beginFetch(git) } };
  const opened = await remoteOutcome(async () => sourceAddress(forge, sourced.source, url));
  if (!opened.ok) return failed(part, opened.reason);
  const slice = await fetchSlice(stagedPacks(forge, git), opened.value, git, staged, {
    prefixes: mirroredPrefixes,
  });
  if (!slice.ok) return failed({ ...part, cursor: { ...cursor, staged } }, slice.reason);
  if (!slice.value.isComplete) return { cursor: { ...cursor, staged: slice.value.staged } };
  return landOn({ ...part, cursor: { ...cursor, staged: slice.value.staged } }, slice.value.refs);
}

/** Lands what was fetched, once it is whole. */
async function landOn(part: SyncPart, refs: RemoteRefs): Promise<SyncStep> {
  const { forge, sourced, git, cursor } = part;
  const packs = stagedPacks(forge, git);
  const staged = cursor.staged ?? beginFetch(git);
  // An empty repository is brought over as such; a mirror whose source lost everything keeps what it has.
  if (refs.refs.length === 0 && git.refs.entries.length > 0) {
    return failed(part, {
      kind: "not-found",
      message: "the source has no branches and tags any more: nothing was removed here",
    });
  }
  const collected = await collectFetch(packs, git, staged);
  if (!collected.ok) return failed(part, collected.reason);
  const { pack, dispose } = collected.value;
  try {
    const wanted = { repositoryId: sourced.repository.id, fetchId: staged.id };
    const isNamingLfs = sourced.source.hasLfs && cursor.part === "code" && pack !== undefined;
    const leftOut = isNamingLfs ? await noteWantedLfs(forge, wanted, pack) : undefined;
    const landed = await land(part, pack === undefined ? { refs } : { refs, pack });
    if (landed === "gone") return left(part);
    if (landed === "busy") throw new Error("others write to the repository all the time");
    // Awaited here: a failure while the files are removed would have nobody to hear it.
    return await next(part, refs, told([refusedText(landed), leftOut]));
  } finally {
    await dispose();
  }
}

async function land(
  { forge, sourced: { repository, source }, cursor }: SyncPart,
  fetched: Fetched,
): Promise<readonly RefResult[] | "gone" | "busy"> {
  const actor = await mirrorActor(forge, source);
  const prunes = repository.mirror?.prunes ?? false;
  const landing: Landing = { actor, prunes, formerHead: source.head };
  const { id, wikiId } = repository;
  if (cursor.part === "code") return landMirror(forge, id, fetched, landing);
  return wikiId === undefined ? "gone" : landWiki(forge, { id, wikiId }, fetched, landing);
}

/** The step after a part: objects of Git LFS, the wiki, or the end. */
async function next(part: SyncPart, { head }: RemoteRefs, problem: string | undefined): Promise<SyncStep> {
  const { sourced, cursor } = part;
  if (cursor.part === "wiki") return end(part, { ...heldBy(cursor), ...defined({ problem }) });
  const found = defined({ head, problem });
  if (!sourced.source.hasLfs) return toWiki(part, found);
  await discard(part);
  return { cursor: { part: "lfs", silences: 0, ...found } };
}

/** Brings some objects of Git LFS; the wiki follows. */
async function lfsOn(part: SyncPart): Promise<SyncStep> {
  const { forge, sourced, cursor } = part;
  const step = await bringLfs(forge, sourced, cursor.lfs);
  if (!("progress" in step)) {
    return toWiki(part, { ...heldBy(cursor), ...defined({ problem: told([cursor.problem, step.problem]) }) });
  }
  return { cursor: { ...cursor, lfs: step.progress }, ...defined({ waitMs: step.waitMs }) };
}

async function toWiki(part: SyncPart, found: SyncEnd): Promise<SyncStep> {
  const { forge, sourced } = part;
  const { repository, source } = sourced;
  // Most repositories have no wiki, and forges answer in different ways that there is none.
  const wiki = source.hasWiki
    ? await readRemoteRefs(sourceAddress(forge, source, wikiUrlOf(source.url)))
    : undefined;
  if (wiki?.ok !== true || wiki.value.refs.length === 0) return end(part, found);
  await withWiki(forge, repository);
  await discard(part);
  return { cursor: { part: "wiki", silences: 0, ...found } };
}

/** Problems as one text; undefined for none. */
function told(problems: readonly (string | undefined)[]): string | undefined {
  const some = problems.filter((problem) => problem !== undefined);
  return some.length === 0 ? undefined : some.join("; ");
}

const heldBy = ({ head, problem }: SyncCursor): SyncEnd => defined({ head, problem });

/** A source that falls silent is asked again a little later; other faults end the sync. */
async function failed(part: SyncPart, { kind, message }: RemoteFailure): Promise<SyncStep> {
  const { cursor } = part;
  const hasCome = (cursor.staged?.packs.length ?? 0) > 0;
  if (kind === "unreachable" && hasCome && cursor.silences < mostSilences) {
    return { cursor: { ...cursor, silences: cursor.silences + 1 }, waitMs: silenceMs };
  }
  return end(part, { ...heldBy(cursor), failure: message });
}

/** The fetched objects are removed last: a worker that is killed before finds what its cursor names, and repeats the step. */
async function end(part: SyncPart, result: SyncEnd): Promise<SyncStep> {
  const { forge, sourced } = part;
  await endSync(forge, sourced.repository.id, result);
  return discarded(part);
}

async function discard({ forge, git, cursor }: SyncPart): Promise<void> {
  if (cursor.staged !== undefined) await stagedPacks(forge, git).discard(cursor.staged.id);
}
