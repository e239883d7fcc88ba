import type { Readable } from "node:stream";

/** What came back; its body holds the connection until it is read or dropped. */
interface Answered {
  readonly response: { readonly body?: unknown };
}

/** A client of the SDK, as far as it matters here: everything that it sends goes through its handler. */
interface Client {
  readonly config: {
    readonly requestHandler: { handle(...request: never[]): Promise<Answered> };
  };
}

/**
 * How a client's pool of connections is made, for `boundRequests` of as many. Both kinds: which one serves is known
 * when the endpoint is.
 */
export const poolOf = (most: number) => ({
  httpAgent: { maxSockets: most },
  httpsAgent: { maxSockets: most },
});

/**
 * Lets `most` requests of a client have a connection at a time, each until its answer is read or dropped; the others
 * wait in the order in which they came. The SDK would let them wait too, but counts that as the time to connect and to
 * answer, and so fails when nothing is wrong but that many ask at once.
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

  /** The place is handed over, so that nobody who comes meanwhile takes it. */
  free(): void {
    const enter = this.#waiting.shift();
    if (enter === undefined) this.#left += 1;
    else enter();
  }
}
