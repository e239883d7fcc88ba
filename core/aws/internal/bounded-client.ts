import type { Readable } from "node:stream";

/** An answer; its body holds the connection until it is read or dropped. */
interface Answered {
  readonly response: { readonly body?: unknown };
}

/** An SDK client, as far as it matters here: everything that it sends goes through its handler. */
interface Client {
  readonly config: {
    readonly requestHandler: { handle(...request: never[]): Promise<Answered> };
  };
}

/**
 * The settings of a client's connection pool, for `boundRequests` with the same number. Both schemes, because the
 * endpoint decides later which one serves.
 */
export const poolOf = (most: number) => ({
  httpAgent: { maxSockets: most },
  httpsAgent: { maxSockets: most },
});

/**
 * Lets `most` requests of a client have a connection at a time, each until its answer is read or dropped; the others
 * wait in their order. The SDK alone would count their waiting as the time to connect and to answer, and would fail
 * only because many ask at once.
 */
export function boundRequests<C extends Client>(client: C, most: number): C {
  const { requestHandler } = client.config;
  const send = requestHandler.handle.bind(requestHandler);
  const places = new Places(most);
  requestHandler.handle = async (...request) => {
    await places.take();
    try {
      const answered = await send(...request);
      const body = answered.response.body as Readable | undefined;
      if (body?.closed === false) body.once("close", () => places.free());
      else places.free();
      return answered;
    } catch (error) {
      places.free();
      throw error;
    }
  };
  return client;
}

class Places {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#left = most;
  }

  async take(): Promise<void> {
    if (this.#left > 0) this.#left -= 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
  }

  /** The place goes straight to the next in line, so that no newcomer takes it. */
  free(): void {
    const enter = this.#waiting.shift();
    if (enter === undefined) this.#left += 1;
    else enter();
  }
}
