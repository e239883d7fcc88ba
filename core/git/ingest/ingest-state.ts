import { hash as hashOnce } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { checkObject } from "../format/check.ts";
import { type ObjectFormat, objectIdBytes } from "../format/object-format.ts";
import { typeOfCode } from "../format/object-type.ts";
import { type Inflater, threadInflater } from "../pack/inflate.ts";
import { abortedError } from "./aborted.ts";
import { RefDeltas } from "./deltas/ref-deltas.ts";
import { EntryTable } from "./entry-table.ts";
import { IngestError } from "./ingest-error.ts";
import type { IngestLimits, IngestOptions, IngestProgress } from "./ingest-types.ts";
import { ReferenceSet } from "./reference-set.ts";
import type { Spool } from "./spool/spool.ts";

/** Room in front of an object's bytes for `<type> <size>\0`, so that one call hashes both. */
export const hashRoom = 32;

const turnMs = 25;

/** The state that the steps of one ingest share. */
export class IngestState {
  readonly format: ObjectFormat;
  readonly idBytes: number;
  readonly limits: IngestLimits;
  readonly options: IngestOptions;
  readonly spool: Spool;
  readonly table: EntryTable;
  readonly references: ReferenceSet;
  readonly inflate: Inflater = threadInflater();
  readonly refDeltas: RefDeltas;
  /** The number of entries in the pack's header. */
  announced = 0;
  /** The end of the last entry, once all are scanned. */
  entriesEnd = 0;
  private inflatedBytes = 0;
  private temporaryFiles = 0;
  private readonly started = performance.now();
  private turnStarted = this.started;

  constructor(options: IngestOptions, limits: IngestLimits, spool: Spool) {
    this.options = options;
    this.format = options.format;
    this.idBytes = objectIdBytes(options.format);
    this.limits = limits;
    this.spool = spool;
    this.table = new EntryTable(this.idBytes);
    this.refDeltas = new RefDeltas(this.idBytes);
    this.references = new ReferenceSet(this.idBytes, limits.references);
  }

  /** True when this thread should let others have a turn. */
  isTurnOver(): boolean {
    return performance.now() - this.turnStarted > turnMs;
  }

  /** Lets the event loop turn; throws when the caller is gone or the time is up. */
  async breathe(progress?: IngestProgress): Promise<void> {
    if (progress !== undefined) this.options.onProgress?.(progress);
    await setImmediate();
    this.throwIfAborted();
    const { workMs } = this.limits;
    if (performance.now() - this.started > workMs) {
      throw new IngestError("took-too-long", `checking the pack took more than ${workMs / 1000} s`);
    }
    this.turnStarted = performance.now();
  }

  throwIfAborted(): void {
    if (this.options.signal?.aborted === true) throw abortedError();
  }

  /** Refuses an object above the limit, and counts its bytes as work. */
  admit(size: number, offset: number, work = size): void {
    if (size > this.limits.objectBytes) {
      throw new IngestError(
        "object-too-large",
        `the object at offset ${offset} has ${size} bytes; at most ${this.limits.objectBytes} are allowed`,
      );
    }
    this.spend(work);
  }

  /** Counts bytes of work against the work that the pack's size justifies. */
  spend(size: number): void {
    this.inflatedBytes += size;
    const { inflatedBytes, inflateRatio } = this.limits;
    if (this.inflatedBytes > inflatedBytes && this.inflatedBytes > inflateRatio * this.spool.size) {
      throw new IngestError(
        "inflates-too-much",
        `the pack inflates to more than ${inflateRatio} times its size`,
      );
    }
  }

  /** Names the object of `size` bytes at `at`; `hashRoom` bytes before it may be overwritten. */
  nameObject(entry: number, typeCode: number, bytes: Buffer, at: number, size: number): void {
    const prefix = `${typeOfCode(typeCode)} ${size}\0`;
    const start = at - prefix.length;
    for (let i = 0; i < prefix.length; i++) bytes[start + i] = prefix.charCodeAt(i);
    // As text, one character for each byte: a buffer for each object would cost more than its hash.
    const id = hashOnce(this.format, bytes.subarray(start, at + size), "binary");
    const to = entry * this.idBytes;
    for (let i = 0; i < this.idBytes; i++) this.table.ids[to + i] = id.charCodeAt(i);
    this.table.types[entry] = typeCode;
  }

  /** Names a new object, checks it, and notes its references. */
  identify(entry: number, typeCode: number, bytes: Buffer, at: number, size: number): void {
    this.nameObject(entry, typeCode, bytes, at, size);
    const type = typeOfCode(typeCode);
    if (type === undefined || type === "blob") return;
    const wrong = checkObject(this.format, type, bytes.subarray(at, at + size), this.references);
    if (wrong === undefined) return;
    const id = this.table.hexId(entry);
    throw new IngestError("bad-object", `${type} ${id}: ${wrong.message} (${wrong.problem})`, { id });
  }

  /** A new name in this ingest's folder, which is removed with it. */
  temporaryPath(): string {
    return `${this.spool.path}.${this.temporaryFiles++}`;
  }

  /** Records an object's name and kind. */
  setId(entry: number, typeCode: number, id: Buffer): void {
    const { table } = this;
    const to = entry * this.idBytes;
    for (let i = 0; i < this.idBytes; i++) table.ids[to + i] = id[i] as number;
    table.types[entry] = typeCode;
  }
}

/** The refusal of bytes that make no sense. */
export const corruptError = (offset: number): IngestError =>
  new IngestError("corrupt", `the pack is damaged at offset ${offset}`);

/** The refusal of a delta that does not fit its base. */
export const badDelta = (offset: number): IngestError =>
  new IngestError("bad-delta", `the delta at offset ${offset} does not fit its base`);
