/** Appends numbers and counted byte strings to a growing buffer, big-endian: the base of the packed attributes. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  #room(size: number): number {
    const at = this.#length;
    if (at + size > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, at + size));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    this.#length = at + size;
    return at;
  }

  u8(value: number): this {
    const at = this.#room(1);
    this.#bytes.writeUInt8(value, at);
    return this;
  }

  u16(value: number): this {
    const at = this.#room(2);
    this.#bytes.writeUInt16BE(value, at);
    return this;
  }

  u32(value: number): this {
    const at = this.#room(4);
    this.#bytes.writeUInt32BE(value, at);
    return this;
  }

  /** A whole number of up to 48 bits. */
  u48(value: number): this {
    const at = this.#room(6);
    this.#bytes.writeUIntBE(value, at, 6);
    return this;
  }

  /** Any number, signed ones too. */
  f64(value: number): this {
    const at = this.#room(8);
    this.#bytes.writeDoubleBE(value, at);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#room(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  hex(value: string): this {
    return this.bytes(Buffer.from(value, "hex"));
  }

  /** Up to 65,535 bytes with their count before them. */
  counted(value: Uint8Array): this {
    return this.u16(value.length).bytes(value);
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }
}

/** Reads what ByteWriter wrote, in the same order. Throws RangeError past the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #take(size: number): number {
    const at = this.#at;
    if (at + size > this.#bytes.length) throw new RangeError("packed attribute is cut short");
    this.#at = at + size;
    return at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  u16(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  u48(): number {
    return this.#bytes.readUIntBE(this.#take(6), 6);
  }

  f64(): number {
    return this.#bytes.readDoubleBE(this.#take(8));
  }

  bytes(size: number): Buffer {
    const at = this.#take(size);
    return this.#bytes.subarray(at, at + size);
  }

  hex(size: number): string {
    const at = this.#take(size);
    return this.#bytes.toString("hex", at, at + size);
  }

  counted(): Buffer {
    return this.bytes(this.u16());
  }
}
