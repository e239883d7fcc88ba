import { createHash, type Hash } from "node:crypto";
import type { ObjectFormat } from "../object/object-format.ts";
import { IngestError } from "./ingest-error.ts";
import type { Spool } from "./spool.ts";

const firstWindow = 64 * 1024;
const largestWindow = 2 * 2 ** 20;
const enoughBytes = 256 * 1024;

/**
 * The arriving pack: a window over what is not consumed yet, at [start, end) of `bytes`. Everything that arrives is
 * spooled at once; what is consumed is hashed.
 */
export class PackInput {
  bytes: Buffer = Buffer.allocUnsafeSlow(firstWindow);
  start = 0;
  end = 0;
  /** True once the source has ended. */
  isEnded = false;
  private windowOffset = 0;
  private hashedTo = 0;
  private readonly hash: Hash;
  private readonly chunks: AsyncIterator<Uint8Array>;
  private pending: Uint8Array = new Uint8Array(0);
  private readonly spool: Spool;
  private readonly packBytes: number;
  private interrupt: ((reason: IngestError) => void) | undefined;

  constructor(
    source: AsyncIterable<Uint8Array>,
    to: { spool: Spool; format: ObjectFormat; packBytes: number },
  ) {
    this.chunks = source[Symbol.asyncIterator]();
    this.spool = to.spool;
    this.packBytes = to.packBytes;
    this.hash = createHash(to.format);
  }

  /** Where `start` lies in the pack. */
  get offset(): number {
    return this.windowOffset + this.start;
  }

  /** True when the window can't hold more before something is consumed. */
  get isFull(): boolean {
    return this.end - this.start >= largestWindow;
  }

  /** Waits for more bytes. False when there are none: the source has ended or the window is full. */
  async fill(): Promise<boolean> {
    if (this.isEnded || this.isFull) return false;
    this.makeRoom();
    const from = this.end;
    while (this.end < this.bytes.length && this.end - from < enoughBytes) {
      if (this.pending.length === 0 && !(await this.nextChunk())) break;
      const taken = Math.min(this.pending.length, this.bytes.length - this.end);
      this.bytes.set(this.pending.subarray(0, taken), this.end);
      this.end += taken;
      this.pending = this.pending.subarray(taken);
    }
    this.spool.append(this.bytes.subarray(from, this.end));
    return this.end > from;
  }

  private async nextChunk(): Promise<boolean> {
    const next = await this.readSource();
    if (next.done === true) {
      this.isEnded = true;
      return false;
    }
    this.pending = next.value;
    const received = this.windowOffset + this.end + next.value.length;
    if (received > this.packBytes) {
      throw new IngestError("pack-too-large", `the pack is larger than ${this.packBytes} bytes`);
    }
    return true;
  }

  private async readSource(): Promise<IteratorResult<Uint8Array>> {
    const interrupted = new Promise<never>((_resolve, reject) => {
      this.interrupt = reject;
    });
    try {
      return await Promise.race([this.chunks.next(), interrupted]);
    } catch (cause) {
      if (cause instanceof IngestError) throw cause;
      throw new IngestError("source-failed", "the pack could not be received whole", { cause });
    } finally {
      this.interrupt = undefined;
    }
  }

  /** Makes a wait for the source, if there is one, end with a refusal. */
  stop(reason: IngestError): void {
    this.interrupt?.(reason);
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
