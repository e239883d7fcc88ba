import type { Spool } from "../spool/spool.ts";

/** Memory for the objects on the way from a root to the delta being resolved. */
const arenaBytes = 32 * 2 ** 20;
/**
 * The most that may lie outside the arena. Beyond it the oldest object is dropped, and made again when it is needed.
 */
const outsideBytes = 64 * 2 ** 20;

/** An object on the way down from a root: its bytes are at [start, end) of `bytes`, in `file`, or dropped. */
export interface DeltaFrame {
  entry: number;
  /** The next delta on this object that is to be resolved. */
  nextChild: number;
  bytes: Buffer | undefined;
  start: number;
  end: number;
  file: Spool | undefined;
}

/** The way down: a stack whose objects lie in one arena, so that most of them allocate nothing. */
export class DeltaFrames {
  depth = 0;
  private readonly arena: Buffer;
  private top = 0;
  private heldOutside = 0;
  private readonly frames: DeltaFrame[] = [];

  /** `totalBytes`: the size of all objects together; a small pack needs a small arena. */
  constructor(totalBytes: number) {
    this.arena = Buffer.allocUnsafeSlow(Math.min(arenaBytes, totalBytes));
  }

  at(depth: number): DeltaFrame {
    const frame = this.frames[depth];
    if (frame === undefined) throw new Error("no such delta frame");
    return frame;
  }

  /** Room for `size` bytes above everything pushed; the next call returns the same room unless it was pushed. */
  reserve(size: number): { bytes: Buffer; at: number } {
    if (this.top + size <= this.arena.length) return { bytes: this.arena, at: this.top };
    return { bytes: Buffer.allocUnsafeSlow(size), at: 0 };
  }

  /** Puts an object on top; its bytes end at `end` of the room from `reserve`. */
  push(entry: number, nextChild: number, bytes: Buffer, start: number, end: number): void {
    this.put({ entry, nextChild, bytes, start, end, file: undefined });
    if (bytes === this.arena) this.top = end;
    else this.hold(this.depth - 1);
  }

  /** Puts an object on top whose bytes are in a file. */
  pushFile(entry: number, nextChild: number, file: Spool): void {
    this.put({ entry, nextChild, bytes: undefined, start: 0, end: file.size, file });
  }

  private put(frame: DeltaFrame): void {
    this.frames[this.depth++] = frame;
  }

  /** Gives a dropped object its bytes again. */
  restore(depth: number, bytes: Buffer, start: number, end: number): void {
    Object.assign(this.at(depth), { bytes, start, end });
    this.hold(depth);
  }

  private hold(depth: number): void {
    this.heldOutside += this.at(depth).bytes?.length ?? 0;
    for (let i = 0; i < this.depth - 1 && this.heldOutside > outsideBytes; i++) {
      const frame = this.at(i);
      if (frame.bytes === undefined || frame.bytes === this.arena || i === depth) continue;
      this.heldOutside -= frame.bytes.length;
      frame.bytes = undefined;
    }
  }

  /** Takes the top away. */
  pop(): void {
    const frame = this.at(--this.depth);
    if (frame.bytes === this.arena) {
      this.top = this.topBelow();
    } else {
      this.heldOutside -= frame.bytes?.length ?? 0;
      frame.file?.remove();
    }
    this.frames.length = this.depth;
  }

  private topBelow(): number {
    for (let i = this.depth - 1; i >= 0; i--) {
      const frame = this.at(i);
      if (frame.bytes === this.arena) return frame.end;
    }
    return 0;
  }

  /** Takes everything away; files are removed. */
  clear(): void {
    while (this.depth > 0) this.pop();
  }
}
