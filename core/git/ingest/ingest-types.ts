import type { ObjectFormat, ObjectId } from "../object/object-format.ts";
import type { GitObject, ObjectType } from "../object/object-type.ts";
import type { SideFile } from "../pack/side-file.ts";

/** Bounds of one pack. Going past one is a refusal, found before the memory or the time is spent. */
export interface IngestLimits {
  /** Bytes of the pack as sent. */
  packBytes: number;
  /** Bytes of one inflated object; at most 4 GiB - 1. */
  objectBytes: number;
  /**
   * Bytes of an object that is sent as a delta, and of its base: readers make such objects in memory. As large as
   * those that git itself makes deltas of (`core.bigFileThreshold`).
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

/** The bounds that hold where the caller names none. */
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

/** An object that deltas of a thin pack rest on. Those above `largeObjectBytes` come as files. */
export type DeltaBase = GitObject | FiledObject;

/** How one pack is to be taken in. */
export interface IngestOptions {
  format: ObjectFormat;
  /** An existing folder; everything made in it is removed by a failure, an abort, or `dispose`. */
  temporaryFolder: string;
  /** Whose turn on the threads it takes (`callerOf`); the service's own when absent. */
  caller?: string;
  limits?: Partial<IngestLimits>;
  /**
   * Delta bases that the pack leaves out (thin packs), in the order asked. It may stop early, with at least one, so
   * that few are in memory at a time, and is then asked for the rest; an answer without the first one says that
   * this one is missing.
   */
  findBases?(ids: ObjectId[]): Promise<ReadonlyMap<ObjectId, DeltaBase>>;
  signal?: AbortSignal;
  /**
   * Told when the pack lies in its file as it was sent. What is between its header and its checksum stays so; the rest
   * may be written anew, and bases appended.
   */
  onArrived?(path: string, packBytes: number): void;
  /** Told now and then how far the work is. */
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
  /** The object concerned, where it is known. */
  id?: ObjectId;
  /** What the source or the file system threw. */
  cause?: unknown;
}

/** Ids in binary, sorted, without doubles; `types` holds the kind that is expected of each (0 = any). */
export interface ReferenceList {
  count: number;
  ids: Buffer;
  types: Uint8Array;
}

/** What a worker hands back: plain values only. */
export interface IngestRecord {
  packPath: string;
  packBytes: number;
  /** Trailing checksum of the pack as stored, hexadecimal. */
  packChecksum: string;
  objectCount: number;
  /** Bases appended to complete a thin pack; they are the last entries of the pack. */
  appendedCount: number;
  side: Buffer;
  /** What its objects name and it does not hold. */
  outside: ReferenceList;
  /** Of those the blobs that new trees use as `.gitmodules`: to be checked where they are (`modulesProblem`). */
  outsideModules: ObjectId[];
  /** Objects sent that no other object of the pack names; left out when they are very many. */
  unreferenced?: ObjectId[];
}

/** A pack that passed every check, in a temporary file that belongs to the caller until `dispose`. */
export interface IngestedPack extends IngestRecord {
  format: ObjectFormat;
  sideFile: SideFile;
  has(id: ObjectId): boolean;
  /** An object of this pack; undefined when it is not in it. */
  read(id: ObjectId): Promise<GitObject | undefined>;
  /** The content of an object of this pack, in pieces. Throws when it is not in it. */
  stream(id: ObjectId): AsyncIterable<Buffer>;
  /** Removes the temporary file. May be called more than once. */
  dispose(): Promise<void>;
}

/** A pack, or why there is none. */
export type IngestResult = { ok: true; pack: IngestedPack } | { ok: false; reason: IngestFailure };
