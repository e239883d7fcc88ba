import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import type { GitObject, ObjectType } from "../format/object-type.ts";
import type { SideFile } from "../pack/side-file.ts";

/** Bounds of one pack. Exceeding one is a refusal, found before the memory or the time is spent. */
export interface IngestLimits {
  /** Bytes of the pack as sent. */
  packBytes: number;
  /** Bytes of one inflated object; at most 4 GiB - 1. */
  objectBytes: number;
  /**
   * Bytes of an object that is sent as a delta, and of its base: readers make such objects in memory. The default is
   * the largest of which git itself makes deltas (`core.bigFileThreshold`).
   */
  deltaObjectBytes: number;
  /** Deltas between an object and its whole base. */
  deltaDepth: number;
  /** Objects in the pack. */
  objects: number;
  /** Distinct ids that new objects name; bounds the memory of the connectivity facts. */
  references: number;
  /** All inflated bytes may be this many times the pack's size … */
  inflateRatio: number;
  /** … or this many bytes, whichever is more. */
  inflatedBytes: number;
  /** How long the work may take once the pack is there. */
  workMs: number;
}

/** The bounds when the caller names none. */
export const defaultIngestLimits: IngestLimits = {
  packBytes: 8 * 2 ** 30,
  objectBytes: 2 * 2 ** 30,
  deltaObjectBytes: 512 * 2 ** 20,
  deltaDepth: 4095,
  objects: 5_000_000,
  references: 6_000_000,
  inflateRatio: 1000,
  inflatedBytes: 4 * 2 ** 30,
  workMs: 15 * 60_000,
};

/** An object whose content lies in a file of its own, in the ingest's temporary folder. */
export interface FiledObject {
  type: ObjectType;
  path: string;
}

/** The base of deltas of a thin pack. A base above `largeObjectBytes` comes as a file. */
export type DeltaBase = GitObject | FiledObject;

/** How one pack is to be taken in. */
export interface IngestOptions {
  format: ObjectFormat;
  /** An existing folder; a failure, an abort, or `dispose` removes everything made in it. */
  temporaryFolder: string;
  /** The queue for the threads (`callerOf`); absent: the service's own. */
  caller?: string;
  limits?: Partial<IngestLimits>;
  /**
   * Delta bases that the pack leaves out (thin packs), in the order asked. It may stop after at least one, so that few
   * are in memory at a time, and is then asked for the rest; an answer without the first one says that this one is
   * missing.
   */
  findBases?(ids: ObjectId[]): Promise<ReadonlyMap<ObjectId, DeltaBase>>;
  signal?: AbortSignal;
  /**
   * Called when the pack lies in its file as it was sent. The bytes between header and checksum stay; the rest may be
   * rewritten, and bases appended.
   */
  onArrived?(path: string, packBytes: number): void;
  /** Called now and then with the progress. */
  onProgress?(progress: IngestProgress): void;
}

/** Objects scanned or resolved so far, of how many. */
export interface IngestProgress {
  stage: "receiving" | "resolving";
  done: number;
  total: number;
}

/** Why a pack was refused. `message` is for the person who pushes. */
export interface IngestFailure {
  kind:
    | "not-a-pack"
    | "truncated"
    | "corrupt"
    | "checksum-mismatch"
    | "wrong-object-format"
    | "trailing-bytes"
    | "pack-too-large"
    | "too-many-objects"
    | "object-too-large"
    | "inflates-too-much"
    | "delta-too-deep"
    | "took-too-long"
    | "too-many-references"
    | "bad-delta"
    | "missing-base"
    | "duplicate-object"
    | "bad-object"
    | "aborted"
    | "source-failed"
    | "no-space"
    | "worker-failed";
  message: string;
  /** The object concerned, if it is known. */
  id?: ObjectId;
  /** The error of the source or the file system. */
  cause?: unknown;
}

/** Ids in binary, sorted, without doubles; `types` holds the expected kind of each (0 = any). */
export interface ReferenceList {
  count: number;
  ids: Buffer;
  types: Uint8Array;
}

/** The result of a worker: plain values only. */
export interface IngestRecord {
  packPath: string;
  packBytes: number;
  /** Trailing checksum of the pack as stored, hexadecimal. */
  packChecksum: string;
  objectCount: number;
  /** Bases appended to complete a thin pack; they are the last entries of the pack. */
  appendedCount: number;
  side: Buffer;
  /** Objects that it names and does not hold. */
  outside: ReferenceList;
  /** Of those the blobs that new trees use as `.gitmodules`: check them where they are (`modulesProblem`). */
  outsideModules: ObjectId[];
  /** Sent objects that no other object of the pack names; absent when there are very many. */
  unreferenced?: ObjectId[];
}

/** A pack that passed every check, in a temporary file that belongs to the caller until `dispose`. */
export interface IngestedPack extends IngestRecord {
  format: ObjectFormat;
  sideFile: SideFile;
  has(id: ObjectId): boolean;
  /** An object of this pack; undefined when it is not in it. */
  read(id: ObjectId): Promise<GitObject | undefined>;
  /** The content of an object of this pack, in pieces. Throws when the pack lacks it. */
  stream(id: ObjectId): AsyncIterable<Buffer>;
  /** Removes the temporary file. May be called more than once. */
  dispose(): Promise<void>;
}

/** A pack, or why there is none. */
export type IngestResult = { ok: true; pack: IngestedPack } | { ok: false; reason: IngestFailure };
