import { randomBytes } from "node:crypto";
import { allocLarge } from "../../capacity/large-buffer.ts";
import type { ReferenceSink } from "../format/check-tree.ts";
import { IngestError } from "./ingest-error.ts";

const leastRoom = 1024;

/**
 * The distinct ids that new objects name, each with its expected kind. Open addressing over flat arrays; slots depend
 * on a random seed, so that nobody can choose ids that collide.
 */
export class ReferenceSet implements ReferenceSink {
  count = 0;
  ids: Buffer = Buffer.alloc(0);
  types = new Uint8Array(0);
  /** Blobs used as `.gitmodules`, as text. */
  readonly gitmodules = new Set<string>();
  private readonly idBytes: number;
  private readonly limit: number;
  private slots = new Int32Array(4096).fill(-1);
  private readonly seeds = new Int32Array(3);

  constructor(idBytes: number, limit: number) {
    this.idBytes = idBytes;
    this.limit = limit;
    randomBytes(12).copy(Buffer.from(this.seeds.buffer));
  }

  /** Makes room for `count` ids at once, cheaper than growing. Don't pass a number that a pack merely claims. */
  reserve(count: number): void {
    if (count <= this.types.length) return;
    this.resize(count);
    if (count * 2 > this.slots.length) this.rehash(2 ** Math.ceil(Math.log2(count * 2)));
  }

  /** Throws a refusal when one id is named as two kinds, or when there are too many. */
  addReference(buffer: Uint8Array, at: number, typeCode: number): void {
    const mask = this.slots.length - 1;
    let slot = this.hash(buffer, at) & mask;
    for (;;) {
      const found = this.slots[slot] as number;
      if (found < 0) break;
      if (this.isSame(found, buffer, at)) {
        this.agree(found, typeCode);
        return;
      }
      slot = (slot + 1) & mask;
    }
    this.slots[slot] = this.insert(buffer, at, typeCode);
    if (this.count * 2 > this.slots.length) this.rehash(this.slots.length * 2);
  }

  addGitmodules(buffer: Uint8Array, at: number): void {
    this.gitmodules.add(Buffer.from(buffer.subarray(at, at + this.idBytes)).toString("hex"));
    if (this.gitmodules.size > this.limit) throw tooMany(this.limit);
  }

  private agree(found: number, typeCode: number): void {
    const known = this.types[found] as number;
    if (known === typeCode || typeCode === 0) return;
    if (known !== 0) {
      const id = this.ids.toString("hex", found * this.idBytes, (found + 1) * this.idBytes);
      throw new IngestError("bad-object", `object ${id} is used as two kinds of object`, { id });
    }
    this.types[found] = typeCode;
  }

  private insert(buffer: Uint8Array, at: number, typeCode: number): number {
    if (this.count >= this.limit) throw tooMany(this.limit);
    if (this.count === this.types.length) this.resize(Math.max(leastRoom, this.count * 2));
    const to = this.count * this.idBytes;
    for (let i = 0; i < this.idBytes; i++) this.ids[to + i] = buffer[at + i] as number;
    this.types[this.count] = typeCode;
    return this.count++;
  }

  private resize(room: number): void {
    const { buffer } = allocLarge(room * (this.idBytes + 1));
    const { ids, types } = this;
    this.ids = Buffer.from(buffer, 0, room * this.idBytes);
    this.types = new Uint8Array(buffer, room * this.idBytes, room);
    this.ids.set(ids);
    this.types.set(types);
  }

  private rehash(size: number): void {
    const slots = new Int32Array(size).fill(-1);
    const mask = slots.length - 1;
    for (let i = 0; i < this.count; i++) {
      let slot = this.hash(this.ids, i * this.idBytes) & mask;
      while ((slots[slot] as number) >= 0) slot = (slot + 1) & mask;
      slots[slot] = i;
    }
    this.slots = slots;
  }

  private hash(buffer: Uint8Array, at: number): number {
    let mixed = this.seeds[0] as number;
    for (let word = 0; word < 3; word++) {
      const i = at + word * 4;
      const value =
        (buffer[i] as number) |
        ((buffer[i + 1] as number) << 8) |
        ((buffer[i + 2] as number) << 16) |
        ((buffer[i + 3] as number) << 24);
      mixed = Math.imul(mixed ^ value, (this.seeds[word] as number) | 1);
      mixed ^= mixed >>> 15;
    }
    return mixed;
  }

  private isSame(found: number, buffer: Uint8Array, at: number): boolean {
    const from = found * this.idBytes;
    for (let i = 0; i < this.idBytes; i++) if (this.ids[from + i] !== buffer[at + i]) return false;
    return true;
  }
}

const tooMany = (limit: number): IngestError =>
  new IngestError("too-many-references", `the pack's objects name more than ${limit} other objects`);
