import type { Forge } from "../../forge.ts";
import { remoteOutcome } from "../../git/client/remote-failure.ts";
import { findLfsObjects } from "../../lfs/lfs.ts";
import { mostLfsBytes } from "../../lfs/most-bytes.ts";
import type { LfsPointer } from "../../lfs/pointer.ts";
import { openLfsUpload, storeLfsObject } from "../../lfs/upload.ts";
import { askLfsRemote, type LfsOffer } from "../../remote/lfs/batch.ts";
import { groupsToTransfer } from "../../remote/lfs/groups.ts";
import type { LfsRemote } from "../../remote/lfs/lfs-remote.ts";
import { lfsObjectFrom } from "../../remote/lfs/transfer.ts";
import { type BroughtLfs, type LfsProgress, withObject } from "./lfs-progress.ts";

/** No transfer begins later in a step. */
const stepMs = 20_000;
/** After this many failed transfers the others are given up. */
export const mostLfsFailures = 10;

/** Where objects come from and go to. */
export interface LfsFetching {
  readonly forge: Forge;
  readonly remote: LfsRemote;
  readonly repositoryId: number;
}

/**
 * Asks for objects and fetches those that the repository lacks, in their order and as long as a step may take. Throws
 * RemoteError when the server can't be asked.
 */
export async function bringSome(
  fetching: LfsFetching,
  some: readonly LfsPointer[],
  progress: LfsProgress,
): Promise<LfsProgress> {
  const { forge, repositoryId } = fetching;
  const offers = await offersFor(fetching, some);
  const isAny = [...offers.values()].some(({ kind }) => kind === "transfer");
  const uploadId = isAny ? await openLfsUpload(forge, repositoryId) : "";
  // However long the answer took, each step brings something.
  const until = forge.clock.now() + stepMs;
  let now = progress;
  for (const group of groupsToTransfer(some)) {
    const isOver = forge.clock.now() > until || now.failures >= mostLfsFailures;
    if (isOver || now.bytes >= forge.config.mirrorLfsMaxBytes) break;
    const wanted = group.flatMap(({ oid }) => offers.get(oid) ?? []);
    const brought = await Promise.all(wanted.map((offer) => bringOne(fetching, offer, uploadId)));
    now = brought.reduce(withObject, { ...now, at: now.at + group.length });
  }
  return now;
}

/** The server's offers for the objects that the repository lacks and may have. */
async function offersFor(
  { forge, remote, repositoryId }: LfsFetching,
  some: readonly LfsPointer[],
): Promise<Map<string, LfsOffer>> {
  const ids = some.map(({ oid }) => oid);
  const known = await findLfsObjects(forge, repositoryId, ids);
  const missing = some.filter(({ oid }) => !known.has(oid));
  const most = mostLfsBytes(forge.config);
  const fitting = missing.filter(({ sizeBytes }) => sizeBytes <= most);
  const reason = `it has more than ${most} bytes (LFS_MAX_FILE_SIZE)`;
  const tooLarge = missing
    .filter(({ sizeBytes }) => sizeBytes > most)
    .map((object): LfsOffer => ({ ...object, kind: "refused", reason }));
  const offers = fitting.length === 0 ? [] : await askLfsRemote(remote, "download", fitting);
  return new Map([...tooLarge, ...offers].map((offer) => [offer.oid, offer]));
}

async function bringOne(
  { forge, remote, repositoryId }: LfsFetching,
  offer: LfsOffer,
  uploadId: string,
): Promise<BroughtLfs> {
  const { oid, sizeBytes } = offer;
  if (offer.kind === "refused") return { reason: `${offer.reason}: ${oid}` };
  if (offer.kind === "there") return {};
  const bytes = lfsObjectFrom(remote, offer, offer.action);
  const outcome = await remoteOutcome(() =>
    storeLfsObject(forge, repositoryId, { oid, sizeBytes, uploadId }, bytes),
  );
  if (outcome.ok) return { bytes: sizeBytes };
  return { reason: `${outcome.reason.message}: ${oid}`, hasFailed: true };
}
