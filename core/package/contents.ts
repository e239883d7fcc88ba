import { randomUUID } from "node:crypto";
import { Spooled } from "../capacity/spooled.ts";
import type { Forge } from "../forge.ts";
import { dueWrite, settleDue } from "../jobs/due.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove, update, type Write } from "../table/write.ts";
import { contentKey, type FileHashes, type PackageContent, packageObject } from "./package.table.ts";

/** Bytes that lie in the bucket already, under an object of the owner's that a sweep looks at. */
export interface StoredContent {
  readonly sizeBytes: number;
  readonly object: string;
}

/** A file that came, complete and hashed. */
export interface HashedContent {
  readonly content: Spooled | StoredContent;
  readonly hashes: FileHashes;
}

/** The kind of the sweeps of objects that may be nobody's content. */
export const objectSweepKind = "package-objects";

/** An object that may belong to no file. */
export interface ObjectSweep {
  readonly ownerId: number;
  readonly sha256: string;
  readonly object: string;
}

/** Longer than any upload takes, from its whole body to the transaction that names it. */
export const packageUploadGraceMs = 24 * 3_600_000;
/** Readers who are downloading a removed file get it to its end. */
const downloadGraceMs = 3_600_000;

/** Schedules a look at an object: it is removed then if no file has it. */
export const sweepObjectLater = (forge: Forge, sweep: ObjectSweep, waitMs: number): Write =>
  dueWrite(objectSweepKind, forge.clock.now() + waitMs, sweep.object, { ...sweep });

/**
 * One incoming content of an owner, for one or more attempts at the transaction that makes it a file's. Bytes that the
 * owner has already are not stored again (semantics §57).
 */
export class IncomingContent {
  readonly #forge: Forge;
  readonly #ownerId: number;
  readonly #given: HashedContent;
  #stored: string | undefined;

  constructor(forge: Forge, ownerId: number, given: HashedContent) {
    this.#forge = forge;
    this.#ownerId = ownerId;
    this.#given = given;
  }

  /**
   * The object, and the write by which one more file has this content: it fails when the content came or went meanwhile.
   */
  async take(): Promise<{ readonly object: string; readonly write: Write }> {
    const { sha256 } = this.#given.hashes;
    const key = contentKey(this.#ownerId, sha256);
    const known = await this.#forge.table.get<PackageContent>(key);
    if (known !== undefined) {
      const { object } = known;
      return { object, write: update(key, { add: { files: 1 } }, equals({ object })) };
    }
    this.#stored ??= await this.#store();
    const { sizeBytes } = this.#given.content;
    const made: PackageContent = { ...key, object: this.#stored, sizeBytes, files: 1, _v: 1 };
    return { object: made.object, write: put(made, absent) };
  }

  /** The object comes before the item that names it; a sweep removes one that nobody names in time. */
  async #store(): Promise<string> {
    const { content, hashes } = this.#given;
    if (!(content instanceof Spooled)) return content.object;
    const sweep = { ownerId: this.#ownerId, sha256: hashes.sha256, object: randomUUID() };
    await this.#forge.table.write(sweepObjectLater(this.#forge, sweep, packageUploadGraceMs));
    await content.putTo(this.#forge.blobs, packageObject(this.#ownerId, sweep.object));
    return sweep.object;
  }
}

/** The writes by which one file less has a content; none when it is gone. They fail when it changed meanwhile. */
export async function contentLeavingWrites(
  forge: Forge,
  ownerId: number,
  { sha256 }: Pick<FileHashes, "sha256">,
): Promise<Write[]> {
  const key = contentKey(ownerId, sha256);
  const found = await forge.table.get<PackageContent>(key);
  if (found === undefined) return [];
  const { object, files } = found;
  const isAsRead = equals({ object, files });
  if (files > 1) return [update(key, { add: { files: -1 } }, isAsRead)];
  return [remove(key, isAsRead), sweepObjectLater(forge, { ownerId, sha256, object }, downloadGraceMs)];
}

/** For the tick: removes objects of unfinished uploads and of removed files. Answers how many it looked at. */
export const sweepPackageObjects = (forge: Forge): Promise<number> =>
  settleDue<ObjectSweep>(forge, objectSweepKind, async ({ ownerId, sha256, object }) => {
    const content = await forge.table.get<PackageContent>(contentKey(ownerId, sha256));
    if (content?.object !== object) await forge.blobs.remove([packageObject(ownerId, object)]);
    return true;
  });
