import { createHash, type Hash } from "node:crypto";
import { type ObjectFormat, objectIdBytes } from "../format/object-format.ts";

const pieceBytes = 128 * 1024;
/** Pieces at least this long are passed on as they are; shorter ones are collected. */
const passedBytes = 32 * 1024;

/** An outgoing pack: collects small pieces, hashes everything. Pieces handed out are never written to again. */
export class PackOutput {
  /** Bytes written so far: the start of the next entry. */
  offset = 0;
  private readonly hash: Hash;
  private readonly idBytes: number;
  private ready: Uint8Array[] = [];
  private room = Buffer.allocUnsafeSlow(pieceBytes);
  private used = 0;
  private sent = 0;

  constructor(format: ObjectFormat, objectCount: number) {
    this.hash = createHash(format);
    this.idBytes = objectIdBytes(format);
    const header = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
    header.writeUInt32BE(objectCount, 8);
    this.write(header);
  }

  /** Takes bytes; long ones must not change afterwards. */
  write(bytes: Uint8Array): void {
    this.offset += bytes.length;
    if (bytes.length >= passedBytes) {
      this.flush();
      this.hand(bytes);
      return;
    }
    if (this.used + bytes.length > this.room.length) this.flush();
    this.room.set(bytes, this.used);
    this.used += bytes.length;
  }

  private flush(): void {
    if (this.used > this.sent) this.hand(this.room.subarray(this.sent, this.used));
    this.sent = this.used;
    if (this.room.length - this.used >= passedBytes) return;
    this.room = Buffer.allocUnsafeSlow(pieceBytes);
    this.used = 0;
    this.sent = 0;
  }

  private hand(bytes: Uint8Array): void {
    this.hash.update(bytes);
    this.ready.push(bytes);
  }

  /** The pieces that are complete. */
  take(): Uint8Array[] {
    const pieces = this.ready;
    this.ready = [];
    return pieces;
  }

  /** Writes the trailing checksum; `take` then gives the rest. */
  finish(): void {
    this.flush();
    const checksum = this.hash.digest();
    this.offset += this.idBytes;
    this.ready.push(checksum);
  }
}
