import { S3Error } from "./error.ts";

const maximumLineBytes = 4096;

/** 400: a body that is not what its headers said. */
export const incompleteBody = (message: string) => new S3Error(400, "IncompleteBody", message);

/** Bytes of a stream, taken line by line or in pieces. */
class ChunkedInput {
  readonly #source: AsyncIterator<Buffer>;
  #unread: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async #more(): Promise<void> {
    const next = await this.#source.next();
    if (next.done) throw incompleteBody("The aws-chunked body ends too early.");
    this.#unread = this.#unread.length === 0 ? next.value : Buffer.concat([this.#unread, next.value]);
  }

  /** The next line, without its CRLF. */
  async line(): Promise<string> {
    let end = this.#unread.indexOf("\r\n");
    while (end < 0) {
      if (this.#unread.length > maximumLineBytes)
        throw incompleteBody("The aws-chunked body has an overlong line.");
      await this.#more();
      end = this.#unread.indexOf("\r\n");
    }
    const text = this.#unread.toString("latin1", 0, end);
    this.#unread = this.#unread.subarray(end + 2);
    return text;
  }

  /** At least one byte, at most `limit`. */
  async piece(limit: number): Promise<Buffer> {
    if (this.#unread.length === 0) await this.#more();
    const piece = this.#unread.subarray(0, limit);
    this.#unread = this.#unread.subarray(piece.length);
    return piece;
  }
}

/**
 * Undoes the content encoding `aws-chunked`: lines with a size in hex, that many bytes each, then trailer fields,
 * which are added to `trailers`. Throws S3Error (400) on anything else.
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const input = new ChunkedInput(source);
  for (;;) {
    const size = /^([0-9a-f]{1,8})(;.*)?$/i.exec(await input.line())?.[1];
    if (size === undefined) throw incompleteBody("The aws-chunked body has a malformed chunk.");
    let left = Number.parseInt(size, 16);
    if (left === 0) break;
    while (left > 0) {
      const piece = await input.piece(left);
      left -= piece.length;
      yield piece;
    }
    if ((await input.line()) !== "") throw incompleteBody("The aws-chunked body has a malformed chunk.");
  }
  for (let field = await input.line(); field !== ""; field = await input.line()) {
    const colon = field.indexOf(":");
    trailers.set(field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1).trim());
  }
}
