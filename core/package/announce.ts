import { randomUUID } from "node:crypto";
import type { Actor } from "../actor.ts";
import { badRequest, conflict, tooLarge, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import { type HashedContent, packageUploadGraceMs, sweepObjectLater } from "./contents.ts";
import { hashesOf } from "./hash.ts";
import { type PackageType, packageObject } from "./package.table.ts";
import { mostPackageBytes, requirePackageRoom } from "./size-limits.ts";

/** A file that is to come in a request of its own. */
export interface AnnouncedContent {
  readonly sizeBytes: number;
  /** In hex, lower case. */
  readonly sha256: string;
}

/** The same, and the object that is to hold it: a fresh one. */
export interface AwaitedContent extends AnnouncedContent {
  readonly object: string;
}

/** An announcement counts for so long after its address: well before the object is removed that nobody took. */
export const awaitedContentMs = packageUploadGraceMs / 2;

/**
 * Awaits a file of a package: it is removed after a day unless a version has it then. TooLarge and 403 as for a file that
 * comes at once.
 */
export async function awaitContent(
  forge: Forge,
  actor: Actor,
  owner: Owner,
  type: PackageType,
  { sizeBytes, sha256 }: AnnouncedContent,
): Promise<AwaitedContent> {
  if (!/^[0-9a-f]{64}$/.test(sha256))
    throw badRequest("sha256 has to be 64 hexadecimal digits in small letters");
  if (sizeBytes < 0) throw badRequest("size has to be a number of bytes");
  if (sizeBytes > mostPackageBytes(forge)) {
    throw tooLarge(`a file of a package may have at most ${mostPackageBytes(forge)} bytes`);
  }
  await requirePackageRoom(forge, actor, owner, { type, bytes: sizeBytes });
  const object = randomUUID();
  await forge.table.write(
    sweepObjectLater(forge, { ownerId: owner.id, sha256, object }, packageUploadGraceMs),
  );
  return { object, sizeBytes, sha256 };
}

/**
 * An awaited file that has come, read once for its hashes. Conflict when it is not there; 422 when it is not what was
 * announced.
 */
export async function takeContent(
  forge: Forge,
  ownerId: number,
  { object, sizeBytes, sha256 }: AwaitedContent,
): Promise<HashedContent> {
  const key = packageObject(ownerId, object);
  const there = await sizeOf(forge, key);
  if (there === undefined) throw conflict("the file was not put under its upload_url yet");
  const hashes = await hashesOf(piecesOf(forge, key, there));
  if (there !== sizeBytes || hashes.sha256 !== sha256) {
    throw unprocessable("the file that was put has another size or SHA-256 than announced: announce it anew");
  }
  return { content: { sizeBytes, object }, hashes };
}

async function* piecesOf({ blobs, awaited }: Forge, key: string, end: number): AsyncGenerator<Uint8Array> {
  if (end === 0) return;
  for await (const piece of blobs.stream(key, 0, end)) {
    awaited.throwIfAborted();
    yield piece;
  }
}

async function sizeOf({ blobs }: Forge, key: string): Promise<number | undefined> {
  for await (const one of blobs.list(key)) return one.key === key ? one.sizeBytes : undefined;
  return undefined;
}
