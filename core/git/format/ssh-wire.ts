/** Reads values of the SSH protocol (RFC 4251 §5); undefined past the end. */
export class WireReader {
  readonly #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  bytes(count: number): Buffer | undefined {
    if (this.#at + count > this.#data.length) return undefined;
    this.#at += count;
    return this.#data.subarray(this.#at - count, this.#at);
  }

  /** A 32 bit number. */
  number(): number | undefined {
    return this.bytes(4)?.readUInt32BE();
  }

  /** Bytes after their length. */
  string(): Buffer | undefined {
    const length = this.number();
    return length === undefined ? undefined : this.bytes(length);
  }
}

/** Values with their lengths before them. */
export function wireStrings(...values: readonly (string | Buffer)[]): Buffer {
  const parts = values.flatMap((value) => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts);
}
