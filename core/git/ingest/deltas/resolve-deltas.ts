import { applyDelta, readDeltaHeader } from "../../pack/delta.ts";
import { ofsDeltaCode } from "../../pack/entry-header.ts";
import { none } from "../entry-table.ts";
import { IngestError } from "../ingest-error.ts";
import { largeObjectBytes } from "../ingest-limits.ts";
import { badDelta, corruptError, hashRoom, type IngestState } from "../ingest-state.ts";
import { DeltaFrames } from "./delta-frames.ts";
import { type ByteSource, resolveLargeChild, resolveLargeRoot } from "./resolve-large.ts";

/**
 * Second pass: from every whole object down through the deltas that the first pass left open, depth first. It waits
 * only for the event loop between turns; objects above `largeObjectBytes` pass through files.
 */
export class DeltaResolver {
  readonly state: IngestState;
  readonly frames: DeltaFrames;
  private resolved = 0;
  private deltas = 0;
  private readonly firstChild: Int32Array;
  private readonly nextSibling: Int32Array;
  private delta: Buffer = Buffer.alloc(0);

  constructor(state: IngestState) {
    const { table } = state;
    this.state = state;
    // Thin packs get at most one more entry for each ref-delta.
    const room = table.count + state.refDeltas.count;
    this.firstChild = new Int32Array(room).fill(none);
    this.nextSibling = new Int32Array(room).fill(none);
    // Objects that are made once more because an open delta needs them: a delta may name any object.
    const isNeeded = new Uint8Array(table.count).fill(state.refDeltas.count > 0 ? 1 : 0);
    let arenaNeed = 0;
    for (let entry = table.count - 1; entry >= 0; entry--) {
      if (table.types[entry] !== 0 && isNeeded[entry] === 0) continue;
      arenaNeed += (table.sizes[entry] as number) + hashRoom + 1;
      if ((table.codes[entry] as number) >= ofsDeltaCode) this.deltas++;
      const base = table.bases[entry] as number;
      if (base === none) continue;
      isNeeded[base] = 1;
      this.link(base, entry);
    }
    this.frames = new DeltaFrames(arenaNeed);
  }

  private link(base: number, child: number): void {
    this.nextSibling[child] = this.firstChild[base] as number;
    this.firstChild[base] = child;
  }

  /** Resolves everything that hangs on the whole objects from entry `first` on. */
  async resolveFrom(first: number): Promise<void> {
    const { table } = this.state;
    for (let root = first; root < table.count; root++) {
      if ((table.codes[root] as number) >= ofsDeltaCode) continue;
      if (this.linkNamed(root) === none) continue;
      if ((table.sizes[root] as number) > largeObjectBytes) await resolveLargeRoot(this, root);
      else this.pushRoot(root);
      await this.resolveFrames();
    }
  }

  /** Attaches the ref-deltas that name this object; returns its first delta. */
  linkNamed(entry: number): number {
    const { table, refDeltas } = this.state;
    if (refDeltas.count > 0) {
      for (const child of refDeltas.of(table.ids, entry * table.idBytes)) {
        if (table.bases[child] !== none) continue;
        table.bases[child] = entry;
        this.link(entry, child);
      }
    }
    return this.firstChild[entry] as number;
  }

  private async resolveFrames(): Promise<void> {
    const { state, frames } = this;
    let sinceCheck = 0;
    while (frames.depth > 0) {
      const frame = frames.at(frames.depth - 1);
      const child = frame.nextChild;
      if (child === none) {
        frames.pop();
        continue;
      }
      frame.nextChild = this.nextSibling[child] as number;
      this.checkDepth();
      if (this.isLarge(child) || frame.file !== undefined) await resolveLargeChild(this, child);
      else this.resolveChild(child);
      this.resolved++;
      if (++sinceCheck < 32 || !state.isTurnOver()) continue;
      sinceCheck = 0;
      await state.breathe({ stage: "resolving", done: this.resolved, total: this.deltas });
    }
  }

  private isLarge(entry: number): boolean {
    const { sizes, entrySizes } = this.state.table;
    return (sizes[entry] as number) > largeObjectBytes || (entrySizes[entry] as number) > largeObjectBytes;
  }

  private checkDepth(): void {
    const { deltaDepth } = this.state.limits;
    if (this.frames.depth <= deltaDepth) return;
    throw new IngestError("delta-too-deep", `the pack chains more than ${deltaDepth} deltas`);
  }

  private pushRoot(root: number): void {
    const size = this.state.table.sizes[root] as number;
    const room = this.frames.reserve(hashRoom + size + 1);
    this.inflateEntry(root, room.bytes, room.at + hashRoom);
    this.frames.push(
      root,
      this.firstChild[root] as number,
      room.bytes,
      room.at + hashRoom,
      room.at + hashRoom + size,
    );
  }

  private resolveChild(child: number): void {
    const { state, frames } = this;
    const parent = frames.depth - 1;
    this.restore(parent);
    const size = state.table.sizes[child] as number;
    const room = frames.reserve(hashRoom + size + 1);
    const start = room.at + hashRoom;
    const base = frames.at(parent);
    this.applyEntry(child, base.bytes as Buffer, base.start, base.end, room.bytes, start);
    this.identify(child, room.bytes, start, size);
    const first = this.linkNamed(child);
    if (first !== none) frames.push(child, first, room.bytes, start, start + size);
  }

  /** The object on top, to be read here and there. */
  baseSource(): ByteSource {
    const depth = this.frames.depth - 1;
    this.restore(depth);
    const { file, bytes, start, end } = this.frames.at(depth);
    return file ?? { size: end - start, view: bytes as Buffer, load: (from) => start + from };
  }

  /** Names and checks a resolved delta's object, unless the first pass did. It has its base's kind. */
  identify(child: number, bytes: Buffer, start: number, size: number): void {
    const { table } = this.state;
    if (table.types[child] !== 0) return;
    const base = table.bases[child] as number;
    this.state.identify(child, table.types[base] as number, bytes, start, size);
  }

  /** Makes a dropped object again, from the nearest one below it that is still there. */
  private restore(depth: number): void {
    const { frames, state } = this;
    let from = depth;
    while (from > 0 && frames.at(from).bytes === undefined && frames.at(from).file === undefined) from--;
    if (from === depth) return;
    let { bytes, start, end } = frames.at(from);
    if (bytes === undefined) throw new Error("an object above a file was dropped");
    for (let i = from + 1; i <= depth; i++) {
      const { entry } = frames.at(i);
      const size = state.table.sizes[entry] as number;
      state.spend(size);
      const target = Buffer.allocUnsafeSlow(hashRoom + size + 1);
      this.applyEntry(entry, bytes, start, end, target, hashRoom);
      bytes = target;
      start = hashRoom;
      end = hashRoom + size;
    }
    frames.restore(depth, bytes, start, end);
  }

  /** Inflates an entry's delta and carries it out. */
  applyEntry(
    entry: number,
    base: Buffer,
    baseStart: number,
    baseEnd: number,
    target: Buffer,
    at: number,
  ): void {
    const { table } = this.state;
    const deltaSize = table.entrySizes[entry] as number;
    if (this.delta.length < deltaSize + 1)
      this.delta = Buffer.allocUnsafeSlow(Math.max(deltaSize * 2, 4096) + 1);
    this.inflateEntry(entry, this.delta, 0);
    const header = readDeltaHeader(this.delta, 0, deltaSize);
    const size = table.sizes[entry] as number;
    const isApplied =
      header !== undefined &&
      header.baseSize === baseEnd - baseStart &&
      header.resultSize === size &&
      applyDelta(
        { bytes: this.delta, start: header.at, end: deltaSize },
        { bytes: base, start: baseStart, end: baseEnd },
        { bytes: target, start: at, end: at + size },
      );
    if (isApplied) return;
    throw badDelta(table.offsets[entry] as number);
  }

  /** A resolved object's content, made again. For objects of moderate size. */
  readObject(entry: number): Buffer {
    const { table } = this.state;
    const chain: number[] = [];
    for (let at = entry; at !== none; at = table.bases[at] as number) chain.push(at);
    let data: Buffer = Buffer.alloc(0);
    for (const at of chain.reverse()) {
      const size = table.sizes[at] as number;
      this.state.spend(size);
      const target = Buffer.allocUnsafeSlow(size + 1);
      if (table.bases[at] === none) this.inflateEntry(at, target, 0);
      else this.applyEntry(at, data, 0, data.length, target, 0);
      data = target.subarray(0, size);
    }
    return data;
  }

  private inflateEntry(entry: number, target: Buffer, at: number): void {
    const { table, spool, inflate } = this.state;
    const offset = table.offsets[entry] as number;
    const dataAt = offset + (table.headerBytes[entry] as number);
    const end = this.endOf(entry);
    const viewAt = spool.load(dataAt, end);
    const size = table.entrySizes[entry] as number;
    const taken = inflate(spool.view, viewAt, viewAt + end - dataAt, target, at, size);
    if (taken < 0) throw corruptError(offset);
  }

  /** The end of an entry's bytes in the pack. */
  endOf(entry: number): number {
    const { table } = this.state;
    return entry + 1 < table.count ? (table.offsets[entry + 1] as number) : this.state.entriesEnd;
  }
}
