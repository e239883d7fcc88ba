import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Spooled } from "../capacity/spooled.ts";
import { conflict, invalid, isForgeError, notFound, tooLarge } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { servedType } from "../media-type.ts";
import { absent, equals } from "../table/condition.ts";
import { put, update } from "../table/write.ts";
import { type AttachmentAddress, type AwaitedFile, addressKey, attachmentFile } from "./attachment.table.ts";
import { sweepFileLater, uploadGraceMs } from "./write.ts";

/** A file that came. */
export interface IncomingFile {
  readonly name: string;
  readonly content: Spooled;
}

/** A file that lies in the bucket and belongs to nothing yet. */
export interface ReceivedFile {
  readonly uuid: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** By its first bytes. */
  readonly contentType: string;
  /** It was awaited under its address. */
  readonly isAwaited?: true;
}

const sampleBytes = 512;

/** The largest file that may be attached. */
export const mostAttachmentBytes = ({ config }: Pick<Forge, "config">): number =>
  config.attachmentMaxSizeMib * 2 ** 20;

const refusal = ({ config }: Pick<Forge, "config">) =>
  tooLarge(`an attachment may have at most ${config.attachmentMaxSizeMib} MiB`);

/**
 * Stores a file under an address of its own. It is removed after a day unless it becomes an attachment. TooLarge past
 * the bound.
 */
export async function receiveAttachment(
  forge: Forge,
  repositoryId: number,
  { name, content }: IncomingFile,
): Promise<ReceivedFile> {
  const { sizeBytes } = content;
  if (sizeBytes > mostAttachmentBytes(forge)) throw refusal(forge);
  const uuid = randomUUID();
  await forge.table.write(sweepFileLater(forge, { repositoryId, uuid }, uploadGraceMs));
  await content.putTo(forge.blobs, attachmentFile(repositoryId, uuid));
  return { uuid, name, sizeBytes, contentType: servedType(await content.sample(sampleBytes)) };
}

/** The address of an awaited file, and where to upload it. */
export interface AwaitedAddress {
  readonly uuid: string;
  /** Where S3 takes the file itself; absent when clients can't reach S3. */
  readonly url: string | undefined;
  /** Whole seconds. */
  readonly until: number;
}

const putWithinSeconds = 3600;

/**
 * Opens an address for a separate upload within the hour: for files that are larger than a request may be. TooLarge
 * when the announced size is over the bound.
 */
export async function awaitFile(
  forge: Forge,
  repositoryId: number,
  file: Omit<AwaitedFile, "until">,
): Promise<AwaitedAddress> {
  if (file.sizeBytes > mostAttachmentBytes(forge)) throw refusal(forge);
  const uuid = randomUUID();
  const now = forge.clock.now();
  const awaited: AwaitedFile = { ...file, until: now + uploadGraceMs };
  const address: AttachmentAddress = { ...addressKey(uuid), repositoryId, awaited, _v: 1 };
  await forge.table.transact([
    put(address, absent),
    sweepFileLater(forge, { repositoryId, uuid }, 2 * uploadGraceMs),
  ]);
  const key = attachmentFile(repositoryId, uuid);
  const url = await forge.blobs.uploadUrl(key, file.sizeBytes, putWithinSeconds);
  return { uuid, url, until: Math.floor(now / 1000) + putWithinSeconds };
}

/**
 * Takes in the file that is awaited under this address, when S3 can't take it itself. `take` reads at most the given
 * number of bytes, and is TooLarge past it. NotFound when no file is awaited there any more; Conflict when the file is
 * there, or another request is uploading it; 422 when its size is not the announced one.
 */
export async function receiveAwaitedFile(
  forge: Forge,
  uuid: string,
  take: (mostBytes: number) => Promise<Spooled>,
): Promise<void> {
  const { repositoryId, awaited } = await getAwaited(forge, uuid);
  const key = attachmentFile(repositoryId, uuid);
  const taken = conflict("the file is there already, or another request is putting it");
  // An uploaded file stays as it is, like the object under every key.
  const isFree = equals({ repositoryId, id: undefined, isBeingPut: undefined });
  if (!(await forge.table.write(update(addressKey(uuid), { set: { isBeingPut: true } }, isFree))))
    throw taken;
  if ((await sizeOf(forge, key)) !== undefined) throw taken;
  try {
    const content = await take(awaited.sizeBytes);
    if (content.sizeBytes !== awaited.sizeBytes) throw wrongSize(awaited);
    await content.putTo(forge.blobs, key);
  } catch (error) {
    await forge.table.write(
      update(addressKey(uuid), { unset: ["isBeingPut"] }, equals({ isBeingPut: true })),
    );
    throw isForgeError(error, "too-large") ? wrongSize(awaited) : error;
  }
}

const wrongSize = ({ sizeBytes }: AwaitedFile) =>
  invalid("Size", `the file was announced with ${sizeBytes} bytes and has another size`);

/**
 * The file that was uploaded to its address. NotFound and 422 as in `receiveAwaitedFile`; Conflict while it is not
 * there yet.
 */
export async function takeAwaitedFile(
  forge: Forge,
  repositoryId: number,
  uuid: string,
  wanted: Pick<AwaitedFile, "uploaderId" | "target">,
): Promise<ReceivedFile> {
  const found = await getAwaited(forge, uuid);
  const { awaited } = found;
  const isSame =
    found.repositoryId === repositoryId &&
    awaited.uploaderId === wanted.uploaderId &&
    isDeepStrictEqual(awaited.target, wanted.target);
  if (!isSame) throw noneAwaited();
  const key = attachmentFile(repositoryId, uuid);
  const sizeBytes = await sizeOf(forge, key);
  if (sizeBytes === undefined) throw conflict("the file was not put under its upload_url yet");
  if (sizeBytes !== awaited.sizeBytes) throw wrongSize(awaited);
  const sample = await forge.blobs.read(key, 0, Math.min(sampleBytes, sizeBytes));
  return { uuid, name: awaited.name, sizeBytes, contentType: servedType(sample), isAwaited: true };
}

const noneAwaited = () => notFound("no file is awaited under this address");

async function getAwaited({ table, clock }: Forge, uuid: string) {
  const address = await table.get<AttachmentAddress>(addressKey(uuid));
  const { awaited } = address ?? {};
  if (address === undefined || awaited === undefined || address.id !== undefined) throw noneAwaited();
  if (awaited.until < clock.now()) throw noneAwaited();
  return { repositoryId: address.repositoryId, awaited };
}

async function sizeOf({ blobs }: Forge, key: string): Promise<number | undefined> {
  for await (const one of blobs.list(key)) return one.key === key ? one.sizeBytes : undefined;
  return undefined;
}
