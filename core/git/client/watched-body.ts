/** A request's body that remembers why it failed: to the transport that looks like a broken connection. */
export class WatchedBody implements AsyncIterable<Uint8Array> {
  failure: unknown;
  readonly #pieces: AsyncIterable<Uint8Array>;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#pieces;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
