import { Pacer } from "../../concurrency/pacer.ts";
import { ProtocolError } from "./protocol-error.ts";

/** One packet of the pkt-line format (gitprotocol-common). Payloads come without length and keep their line break. */
export type Packet =
  | { readonly kind: "data"; readonly payload: Buffer }
  | { readonly kind: "flush" }
  | { readonly kind: "delimiter" }
  | { readonly kind: "response-end" };

/** Most bytes of one packet's payload. */
export const maxPayloadBytes = 65_516;

export const flushPacket: Buffer = Buffer.from("0000");
export const delimiterPacket: Buffer = Buffer.from("0001");

/** A data packet. Throws RangeError when the payload does not fit. */
export function dataPacket(payload: string | Uint8Array): Buffer {
  const size = typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
  if (size > maxPayloadBytes) throw new RangeError(`a packet of ${size} bytes`);
  const packet = Buffer.allocUnsafe(size + 4);
  packet.write((size + 4).toString(16).padStart(4, "0"), 0, "latin1");
  if (typeof payload === "string") packet.write(payload, 4);
  else packet.set(payload, 4);
  return packet;
}

/** A data packet as text, for long listings that become bytes at once. The line holds a byte per character (latin1). */
export const packetText = (line: string): string => (line.length + 4).toString(16).padStart(4, "0") + line;

const packetsOfPiece = 256;

/** Many packets in few pieces: a write to a connection costs more than the line that it sends. Others run between. */
export async function* inPieces(packets: Iterable<Buffer>): AsyncGenerator<Buffer> {
  const pacer = new Pacer();
  let piece: Buffer[] = [];
  for (const packet of packets) {
    if (piece.push(packet) < packetsOfPiece) continue;
    yield Buffer.concat(piece);
    piece = [];
    if (pacer.isDue(packetsOfPiece)) await pacer.pause();
  }
  if (piece.length > 0) yield Buffer.concat(piece);
}

/** A packet's payload as text without its line break; bytes beyond ASCII stay one character each (latin1). */
export function lineOf(payload: Buffer): string {
  const end = payload.at(-1) === 0x0a ? payload.length - 1 : payload.length;
  return payload.toString("latin1", 0, end);
}

const specialPackets: Record<number, Packet | undefined> = {
  0: { kind: "flush" },
  1: { kind: "delimiter" },
  2: { kind: "response-end" },
};

/** Four hexadecimal digits as a number; NaN for anything else. */
function parseLength(digits: Buffer): number {
  let length = 0;
  for (const digit of digits) {
    const value = Number.parseInt(String.fromCharCode(digit), 16);
    length = length * 16 + value;
  }
  return length;
}

/** Reads packets from a stream that may come in pieces of any size, and hands over the raw rest. */
export class PacketReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #pacer = new Pacer();
  #pieces: Buffer[] = [];
  #available = 0;
  #hasEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next packet; undefined when the stream ends between packets. Throws ProtocolError on anything else. */
  async read(): Promise<Packet | undefined> {
    // It waits only for missing bytes, and now and then for others: a request may have hundreds of thousands of packets.
    if (this.#pacer.isDue()) await this.#pacer.pause();
    if (this.#available < 4 && !(await this.#fill(4))) {
      if (this.#available === 0) return undefined;
      throw new ProtocolError("the request ends inside a packet");
    }
    const length = parseLength(this.#take(4));
    const special = specialPackets[length];
    if (special !== undefined) return special;
    if (!(length >= 4 && length <= maxPayloadBytes + 4)) {
      throw new ProtocolError("the request is not in the pkt-line format");
    }
    if (this.#available < length - 4 && !(await this.#fill(length - 4)))
      throw new ProtocolError("the request ends inside a packet");
    return { kind: "data", payload: this.#take(length - 4) };
  }

  /** The bytes behind the packets read so far, as they come. */
  async *rest(): AsyncGenerator<Buffer> {
    if (this.#available > 0) yield this.#take(this.#available);
    while (await this.#pull()) yield this.#take(this.#available);
  }

  /** Releases the source, so that it can free its resources. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #fill(size: number): Promise<boolean> {
    while (this.#available < size) if (!(await this.#pull())) return false;
    return true;
  }

  async #pull(): Promise<boolean> {
    if (this.#hasEnded) return false;
    const { done, value } = await this.#source.next();
    if (done) {
      this.#hasEnded = true;
      return false;
    }
    if (value.length === 0) return this.#pull();
    this.#pieces.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    this.#available += value.length;
    return true;
  }

  #take(size: number): Buffer {
    if (size === 0) return Buffer.alloc(0);
    const [first] = this.#pieces as [Buffer];
    this.#available -= size;
    if (first.length > size) {
      this.#pieces[0] = first.subarray(size);
      return first.subarray(0, size);
    }
    if (first.length === size) {
      this.#pieces.shift();
      return first;
    }
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = whole.length > size ? [whole.subarray(size)] : [];
    return whole.subarray(0, size);
  }
}
