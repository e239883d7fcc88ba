import type { SignedPut } from "../blobs/presign.ts";
import type { Spooled } from "../capacity/spooled.ts";
import { invalid, isForgeError, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { dueWrite } from "../jobs/due.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import type { TableKey } from "../table/write.ts";
import { type LfsFile, lfsFile } from "./lfs.table.ts";
import { findLfsObject, lfsAddressSeconds, lfsObjectKeys } from "./lfs.ts";
import { linkUploaded } from "./link.ts";
import type { LfsPointer } from "./pointer.ts";

/** The kind under which looks at uploads are due, which remove what no repository has. */
export const lfsUploadSweepKind = "lfs-uploads";

/** An upload whose time is over. */
export interface LfsUploadSweep {
  readonly uploadId: string;
  /** The only repository that it may bring objects to. */
  readonly repositoryId: number;
}

/** How long an upload may take once its time to begin is over: an uploader is done within this time, or never. */
export const longestUploadMs = 24 * 3_600_000;

/** Opens an upload of any number of objects to a repository: one write, which has the rest of it removed in time. */
export async function openLfsUpload(forge: Forge, repositoryId: number): Promise<string> {
  const uploadId = `${randomId()}${randomId()}`;
  const sweep: LfsUploadSweep = { uploadId, repositoryId };
  const over = forge.clock.now() + forge.config.lfsHttpAuthExpirySeconds * 1000 + longestUploadMs;
  await forge.table.write(dueWrite(lfsUploadSweepKind, over, uploadId, { ...sweep }));
  return uploadId;
}

/** Where S3 takes an object itself, and nothing else but it; undefined when clients can't reach S3. */
export const lfsUploadAddress = (
  { blobs }: Forge,
  uploadId: string,
  { oid, sizeBytes }: LfsPointer,
): Promise<SignedPut | undefined> =>
  blobs.checkedUpload(lfsFile({ oid, uploadId }), { sizeBytes, sha256: oid }, lfsAddressSeconds);

/** Content that came, and its SHA-256 in hex. */
export interface HashedContent {
  readonly content: Spooled;
  readonly sha256: string;
}

/**
 * Takes in an object and gives it to the repository; `take` reads at most so many bytes, and is TooLarge past them.
 * 422 for content of another size or hash: nothing of it stays. `requireAllowed` is asked again once all is there,
 * because an upload may take hours; it answers a forge that has read these keys with it.
 */
export async function receiveLfsObject(
  forge: Forge,
  repositoryId: number,
  object: LfsPointer & { readonly uploadId: string | undefined },
  means: {
    take(mostBytes: number): Promise<HashedContent>;
    requireAllowed(keys: readonly TableKey[]): Promise<Forge>;
  },
): Promise<void> {
  const { oid, sizeBytes } = object;
  const { content, sha256 } = await means.take(sizeBytes).catch((error: unknown) => {
    throw isForgeError(error, "too-large") ? wrongSize(sizeBytes) : error;
  });
  if (content.sizeBytes !== sizeBytes) throw wrongSize(sizeBytes);
  if (sha256 !== oid) throw invalid("Oid", `the content's SHA-256 is ${sha256}`);
  const keys = [repositoryKey(repositoryId), ...lfsObjectKeys(repositoryId, [oid])];
  const allowed = await means.requireAllowed(keys);
  if ((await findLfsObject(allowed, repositoryId, oid)) !== undefined) return;
  const uploadId = object.uploadId ?? (await openLfsUpload(forge, repositoryId));
  const file = lfsFile({ oid, uploadId });
  await content.putTo(forge.blobs, file);
  if (await linkUploaded(allowed, repositoryId, { oid, sizeBytes, uploadId })) return;
  await forge.blobs.remove([file]); // its sweep is over, and nothing may name it any more
  throw unprocessable("the upload took too long: ask for another one");
}

/**
 * Stores an object whose bytes are checked as they come, and gives it to the repository. What `bytes` throws is thrown
 * on: nothing of it stays then. At most 16 MB are in memory.
 */
export async function storeLfsObject(
  forge: Forge,
  repositoryId: number,
  object: LfsPointer & { readonly uploadId: string },
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = lfsFile(object);
  await forge.blobs.putStream(file, bytes);
  if (await linkUploaded(forge, repositoryId, object)) return;
  await forge.blobs.remove([file]); // its sweep is over, and nothing may name it any more
  throw unprocessable("the upload took too long");
}

const wrongSize = (sizeBytes: number) =>
  invalid("Size", `the content does not have the ${sizeBytes} bytes that were announced`);

/**
 * Whether the repository has an object of this size; what was uploaded to an address of S3 for it becomes its own now.
 */
export async function verifyLfsObject(
  forge: Forge,
  repositoryId: number,
  { oid, sizeBytes }: LfsPointer,
  uploadId: string | undefined,
): Promise<boolean> {
  const known = await findLfsObject(forge, repositoryId, oid);
  if (known !== undefined) return known.sizeBytes === sizeBytes;
  if (uploadId === undefined || (await fileSize(forge, { oid, uploadId })) !== sizeBytes) return false;
  return linkUploaded(forge, repositoryId, { oid, sizeBytes, uploadId });
}

/** S3 took the file by its hash alone: its size is all there is to look at. */
async function fileSize({ blobs }: Forge, file: LfsFile): Promise<number | undefined> {
  for await (const { sizeBytes } of blobs.list(lfsFile(file))) return sizeBytes;
  return undefined;
}
