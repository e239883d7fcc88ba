import { createHash, type Hash } from "node:crypto";
import type { ObjectFormat } from "../../format/object-format.ts";
import type { Spool } from "../spool/spool.ts";

const firstWindow = 64 * 1024;
const largestWindow = 2 * 2 ** 20;
const enoughBytes = 256 * 1024;

/** The spooled pack, read through once: a window over the unread bytes, at [start, end) of `bytes`. */
export class PackInput {
  bytes: Buffer = Buffer.allocUnsafeSlow(firstWindow);
  start = 0;
  end = 0;
  private windowOffset = 0;
  private hashedTo = 0;
  private readonly hash: Hash;
  private readonly spool: Spool;

  constructor(spool: Spool, format: ObjectFormat) {
    this.spool = spool;
    this.hash = createHash(format);
  }

  /** The place of `start` in the pack. */
  get offset(): number {
    return this.windowOffset + this.start;
  }

  /** True when the window can't hold more before something is consumed. */
  get isFull(): boolean {
    return this.end - this.start >= largestWindow;
  }

  /** True once the window reaches to the end of the pack. */
  get isEnded(): boolean {
    return this.windowOffset + this.end >= this.spool.size;
  }

  /** Reads more bytes in. False when there are none: the pack has ended or the window is full. */
  fill(): boolean {
    if (this.isEnded || this.isFull) return false;
    this.makeRoom();
    const position = this.windowOffset + this.end;
    const length = Math.min(enoughBytes, this.bytes.length - this.end, this.spool.size - position);
    this.spool.readInto(this.bytes, this.end, position, length);
    this.end += length;
    return length > 0;
  }

  private makeRoom(): void {
    this.hashConsumed();
    const isOutgrown = this.windowOffset + this.end >= this.bytes.length && this.bytes.length < largestWindow;
    const target = isOutgrown
      ? Buffer.allocUnsafeSlow(Math.min(this.bytes.length * 4, largestWindow))
      : this.bytes;
    this.bytes.copy(target, 0, this.start, this.end);
    this.bytes = target;
    this.windowOffset += this.start;
    this.end -= this.start;
    this.start = 0;
    this.hashedTo = 0;
  }

  private hashConsumed(): void {
    this.hash.update(this.bytes.subarray(this.hashedTo, this.start));
    this.hashedTo = this.start;
  }

  /** The hash of everything consumed; ends the hashing. */
  checksum(): Buffer {
    this.hashConsumed();
    return this.hash.digest();
  }
}
