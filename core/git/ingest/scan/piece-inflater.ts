import { createInflate } from "node:zlib";

/** Inflates one zlib stream of any size, fed in pieces; the output goes to `onPiece` at once and is kept nowhere. */
export class PieceInflater {
  /** Inflated bytes so far. */
  produced = 0;
  /** True once the stream's end was seen in what was pushed. */
  isEnded = false;
  private fed = 0;
  private failure: unknown;
  private readonly stream = createInflate({ chunkSize: 64 * 1024 });

  constructor(onPiece: (piece: Buffer) => void) {
    this.stream.on("error", (error) => {
      this.failure ??= error;
    });
    this.stream.on("data", (piece: Buffer) => {
      this.produced += piece.length;
      if (this.failure !== undefined) return;
      try {
        onPiece(piece);
      } catch (error) {
        this.failure = error;
      }
    });
  }

  /** Returns how many of the bytes belong to the stream. Throws zlib's error, or that of `onPiece`. */
  async push(chunk: Uint8Array): Promise<number> {
    const before = this.stream.bytesWritten;
    await new Promise<void>((resolve) => {
      this.stream.once("close", resolve);
      this.stream.write(chunk, () => {
        this.stream.off("close", resolve);
        resolve();
      });
    });
    while (this.stream.read() !== null);
    if (this.failure !== undefined) throw this.failure;
    this.fed += chunk.length;
    this.isEnded = this.stream.bytesWritten < this.fed;
    return this.stream.bytesWritten - before;
  }

  /** Frees zlib's memory. */
  close(): void {
    this.stream.destroy();
  }
}
