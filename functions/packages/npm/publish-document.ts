import { badRequest, tooLarge } from "#core/errors";

const [quote, backslash, slash] = [0x22, 0x5c, 0x2f];
const [openBrace, closeBrace, openBracket, closeBracket, colon, comma] = [0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c];
const longestKey = 32;
/** In the root, in `_attachments`, in one of them. */
const depthOfData = 3;

/**
 * Takes the document of a publication apart as it comes: the attached file is decoded piece by piece, and what remains is
 * JSON with an empty text in its place. So a large package never lies in memory.
 */
export class PublishDocument {
  readonly #mostBytes: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #depth = 0;
  /** The key before the present value, and that of the root's present member. */
  #key = "";
  #rootKey = "";
  #text = "";
  #isValue = false;
  #state: "outside" | "text" | "data" = "outside";
  #isEscaped = false;
  readonly #data = new Base64Decoder();
  hasAttachment = false;

  /** `mostBytes`: of the document without the file. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The document without the file, once `attachment` is through. */
  get json(): Buffer {
    return Buffer.concat(this.#kept);
  }

  /** The bytes of the attached file. 400 for a file that is not in base64, and for several; TooLarge past the bound. */
  async *attachment(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      yield* this.#read(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    }
  }

  *#read(piece: Buffer): Generator<Buffer> {
    let keptFrom = 0;
    for (let at = 0; at < piece.length; ) {
      if (this.#state === "outside") {
        this.#step(piece[at] as number);
        at += 1;
        if (this.#begunData()) this.#keep(piece.subarray(keptFrom, at));
        continue;
      }
      const end = this.#endOfText(piece, at);
      if (this.#state === "data") yield* this.#decode(piece.subarray(at, end));
      else if (this.#text.length < longestKey)
        this.#text += piece.toString("latin1", at, Math.min(end, at + longestKey));
      if (end < piece.length) {
        if (this.#state === "data") keptFrom = end;
        this.#state = "outside";
      }
      at = end + 1;
    }
    if (this.#state !== "data") this.#keep(piece.subarray(keptFrom));
  }

  /** A structural character; anything else is a number, a word or space. */
  #step(byte: number): void {
    if (byte === quote) {
      this.#text = "";
      this.#state = this.#isData() ? "data" : "text";
    } else if (byte === openBrace || byte === openBracket) {
      this.#depth += 1;
      this.#isValue = false;
    } else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
    else if (byte === comma) this.#isValue = false;
    else if (byte === colon) {
      this.#key = this.#text;
      this.#isValue = true;
      if (this.#depth === 1) this.#rootKey = this.#key;
    }
  }

  #isData(): boolean {
    const isMember = this.#isValue && this.#depth === depthOfData && this.#key === "data";
    return isMember && this.#rootKey === "_attachments";
  }

  #begunData(): boolean {
    if (this.#state !== "data") return false;
    if (this.hasAttachment) throw badRequest("a publication has one attachment");
    this.hasAttachment = true;
    return true;
  }

  /** The place of the quote that ends a text, or the end of the piece. */
  #endOfText(piece: Buffer, from: number): number {
    let at = from;
    if (this.#isEscaped && at < piece.length) {
      this.#isEscaped = false;
      at += 1;
    }
    for (;;) {
      const end = piece.indexOf(quote, at);
      const limit = end < 0 ? piece.length : end;
      const escaped = piece.subarray(at, limit).indexOf(backslash);
      if (escaped < 0) return limit;
      at += escaped + 2;
      if (at > piece.length) {
        this.#isEscaped = true;
        return piece.length;
      }
    }
  }

  *#decode(bytes: Buffer): Generator<Buffer> {
    const decoded = this.#data.decode(bytes);
    if (decoded.length > 0) yield decoded;
  }

  #keep(bytes: Buffer): void {
    this.#keptBytes += bytes.length;
    if (this.#keptBytes > this.#mostBytes) {
      throw tooLarge(`a publication may have at most ${this.#mostBytes} bytes beside its attachment`);
    }
    this.#kept.push(Buffer.from(bytes));
  }

  /** 400 unless the file was whole. */
  requireWhole(): void {
    this.#data.requireWhole();
  }
}

const notBase64 = () => badRequest("the attachment is not in base64");

/** Decodes base64 as it comes; a slash may be escaped, as JSON allows. */
class Base64Decoder {
  #rest = "";
  #isPadded = false;
  #isEscaped = false;

  decode(bytes: Buffer): Buffer {
    const text = this.#rest + this.#unescaped(bytes);
    if (text.length > this.#rest.length && this.#isPadded) throw notBase64();
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw notBase64();
    this.#isPadded = text.endsWith("=") || this.#isPadded;
    const end = text.length - (text.length % 4);
    this.#rest = text.slice(end);
    if (this.#rest.includes("=")) this.#isPadded = false; // the other half is still to come
    return Buffer.from(text.slice(0, end), "base64");
  }

  #unescaped(bytes: Buffer): string {
    if (!this.#isEscaped && !bytes.includes(backslash)) return bytes.toString("latin1");
    const kept: number[] = [];
    for (const byte of bytes) {
      if (this.#isEscaped && byte !== slash) throw notBase64();
      const isEscape = !this.#isEscaped && byte === backslash;
      if (!isEscape) kept.push(byte);
      this.#isEscaped = isEscape;
    }
    return Buffer.from(kept).toString("latin1");
  }

  requireWhole(): void {
    if (this.#rest !== "" || this.#isEscaped) throw notBase64();
  }
}
