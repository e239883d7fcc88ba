import type { Forge } from "../../forge.ts";
import { type RemoteFailure, remoteOutcome } from "../../git/client/remote-failure.ts";
import { type WantedLfs, wantedLfsOf } from "../../lfs/lfs.table.ts";
import { findLfsObjects } from "../../lfs/lfs.ts";
import { lfsBatchObjects } from "../../remote/lfs/batch.ts";
import { type LfsRemote, lfsRemote } from "../../remote/lfs/lfs-remote.ts";
import { remoteClient } from "../../remote/remote-client.ts";
import { exists } from "../../table/condition.ts";
import { remove, update } from "../../table/write.ts";
import type { MirrorSource } from "../mirror.table.ts";
import { type SourcedRepository, sourceRemote } from "../source.ts";
import { bringSome, type LfsFetching, mostLfsFailures } from "./bring-some.ts";
import { type LfsProgress, lfsBegun, lfsProblem } from "./lfs-progress.ts";

/** How far it is, or that it is over, with what people are to know. */
export type LfsStep =
  | { readonly progress: LfsProgress; readonly waitMs?: number }
  | { readonly problem: string | undefined };

const mostSilences = 3;
const silenceMs = 60_000;
/** An answer that took so long and brought nothing counts as a failure. */
const slowMs = 10_000;
/** How long the objects of one sync may keep workers busy. */
const mostMinutes = 30;
/** Syncs that ask for what the source doesn't have. */
const mostTries = 30;

/**
 * Brings some of the objects that the repository wants; a step of a sync. What its source lacks, or gives wrongly, is
 * told and doesn't fail the sync, as in the family: a mirror asks again with its next sync.
 */
export async function bringLfs(
  forge: Forge,
  { repository, source }: SourcedRepository,
  progress: LfsProgress = lfsBegun,
): Promise<LfsStep> {
  const { after, at } = progress;
  const wanted = { ...wantedLfsOf(repository.id), limit: 1, ...(after !== undefined && { after }) };
  const [page] = (await forge.table.query<WantedLfs>(wanted)).items;
  if (page === undefined) return over(forge, repository, lfsProblem(progress));
  const some = page.objects.slice(at, at + lfsBatchObjects);
  if (some.length === 0) {
    await endPage(forge, repository, page);
    return { progress: { ...progress, after: page.sk, at: 0 } };
  }
  const fetching: LfsFetching = { forge, remote: remoteOf(forge, source), repositoryId: repository.id };
  const began = forge.clock.now();
  const outcome = await remoteOutcome(() => bringSome(fetching, some, progress));
  const now = afterStep(progress, outcome.ok ? outcome.value : progress, forge.clock.now() - began);
  const reason = outcome.ok ? limitReached(forge, now) : outcome.reason.message;
  if (outcome.ok && reason === undefined) return { progress: now };
  if (!outcome.ok && isWaitedFor(outcome.reason, progress)) {
    return { progress: { ...now, silences: now.silences + 1 }, waitMs: silenceMs };
  }
  return over(forge, repository, lfsProblem(now, reason));
}

/** A step's time counts, and that it was slow for nothing, unless its transfers have been counted as failed. */
function afterStep(before: LfsProgress, now: LfsProgress, ms: number): LfsProgress {
  const isVain = ms >= slowMs && now.bytes === before.bytes && now.failures === before.failures;
  const spentMs = (before.spentMs ?? 0) + ms;
  return { ...now, spentMs, failures: now.failures + (isVain ? 1 : 0) };
}

function remoteOf(forge: Forge, source: MirrorSource): LfsRemote {
  return lfsRemote(remoteClient(forge.config), sourceRemote(forge, source), source.lfsUrl);
}

function limitReached({ config }: Forge, { failures, bytes, spentMs = 0 }: LfsProgress): string | undefined {
  if (failures >= mostLfsFailures) return "too many transfers failed";
  if (spentMs >= mostMinutes * 60_000) return `a sync takes no more than ${mostMinutes} minutes for objects`;
  const most = config.mirrorLfsMaxBytes;
  return bytes < most ? undefined : `a sync brings no more than ${most} bytes (MIRROR_LFS_MAX_BYTES)`;
}

/** A server that falls silent after it gave something is asked again a little later. */
const isWaitedFor = ({ kind }: RemoteFailure, { bytes, silences }: LfsProgress): boolean =>
  kind === "unreachable" && bytes > 0 && silences < mostSilences;

/** The end of this sync's objects: who doesn't follow the source has no use for the rest. */
async function over(
  forge: Forge,
  { id, isMirror }: SourcedRepository["repository"],
  problem: string | undefined,
): Promise<LfsStep> {
  if (!isMirror) await forgetWantedLfs(forge, id);
  return { problem };
}

/** Forgets what came of an item; a mirror keeps the rest for its next sync. */
async function endPage(
  forge: Forge,
  { id, isMirror }: SourcedRepository["repository"],
  { pk, sk, objects, tries }: WantedLfs,
): Promise<void> {
  const ids = objects.map(({ oid }) => oid);
  const known = await findLfsObjects(forge, id, ids);
  const left = objects.filter(({ oid }) => !known.has(oid));
  const isKept = isMirror && left.length > 0 && tries + 1 < mostTries;
  const kept = update({ pk, sk }, { set: { objects: left, tries: tries + 1 } }, exists);
  await forge.table.write(isKept ? kept : remove({ pk, sk }));
}

const itemsAtOnce = 25;

/** Forgets everything that a repository wants: it follows its source no more. */
export async function forgetWantedLfs({ table }: Forge, repositoryId: number): Promise<void> {
  const wanted = { ...wantedLfsOf(repositoryId), limit: itemsAtOnce };
  for (;;) {
    const { items } = await table.query<WantedLfs>(wanted);
    if (items.length === 0) return;
    await table.removeAll(items);
  }
}
