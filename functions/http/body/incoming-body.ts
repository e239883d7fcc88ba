import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { createGunzip } from "node:zlib";
import type { Incoming } from "#core/capacity/intake";
import { ForgeError, tooLarge } from "#core/errors";
import { ProtocolError } from "#core/git/protocol/protocol-error";

/** The client closed the connection before this: nobody is there to read an answer. */
export class ClientLeft extends Error {
  constructor(before: string, cause?: unknown) {
    super(`the client left before ${before}`, { cause });
    this.name = "ClientLeft";
  }
}

/** How fast a body has to come. */
export interface Pace {
  /** How many bytes must come within `windowMs` of waiting: a slower client is refused. */
  readonly leastBytes: number;
  readonly windowMs: number;
  /** How long the whole body may take. */
  readonly totalMs: number;
}

export interface BodyBounds extends Pace {
  /** Bytes after inflating. */
  readonly limitBytes: number;
}

const encodings = new Set(["", "identity", "gzip", "x-gzip"]);

/** Whether a request's Content-Encoding is one that this server reads. */
export const canDecode = (request: Request): boolean => encodings.has(encodingOf(request));

const encodingOf = (request: Request): string =>
  (request.headers.get("content-encoding") ?? "").toLowerCase();

/**
 * A request's body, inflated if it came compressed, bounded in size, pace and time. Its readers get TooLarge, TooSlow,
 * ClientLeft or ProtocolError.
 */
export class IncomingBody implements Incoming {
  readonly bytes: AsyncGenerator<Uint8Array>;
  readonly mostBytes: number;
  readonly #raw: Readable | undefined;

  constructor(request: Request, bounds: BodyBounds) {
    const { limitBytes } = bounds;
    const announced = request.headers.get("content-length");
    const isPlain = !encodingOf(request).endsWith("gzip");
    this.mostBytes = isPlain && announced !== null ? Math.min(Number(announced), limitBytes) : limitBytes;
    this.#raw =
      request.body === null
        ? undefined
        : Readable.fromWeb(request.body as NodeReadableStream<Uint8Array>, { highWaterMark: 1 });
    this.bytes = read(this.#raw, isPlain, bounds);
  }

  end(reason: ForgeError): void {
    this.#raw?.destroy(reason);
  }
}

async function* read(
  raw: Readable | undefined,
  isPlain: boolean,
  bounds: BodyBounds,
): AsyncGenerator<Uint8Array> {
  if (raw === undefined) return;
  const source = isPlain ? paced(raw, bounds) : inflated(paced(raw, bounds));
  let size = 0;
  try {
    for await (const piece of source) {
      size += piece.length;
      if (size > bounds.limitBytes) throw bodyTooLarge(bounds.limitBytes);
      yield piece;
    }
  } catch (error) {
    if (isZlibError(error)) throw new ProtocolError("the request is not valid gzip", { cause: error });
    throw error instanceof ForgeError ? error : new ClientLeft("its request was whole", error);
  } finally {
    raw.destroy();
  }
}

export const bodyTooLarge = (limitBytes: number) =>
  tooLarge(`the request body may have at most ${limitBytes} bytes`);

/** Errors of either stream come out of the one that is read. */
function inflated(raw: AsyncIterable<Uint8Array>): Readable {
  const gunzip = createGunzip();
  pipeline(Readable.from(raw, { objectMode: false }), gunzip, (error) => {
    if (error) gunzip.destroy(error);
  });
  return gunzip;
}

const isZlibError = (error: unknown): boolean =>
  ((error as NodeJS.ErrnoException).code ?? "").startsWith("Z_");

/** Time in which nobody asks for more is our own, not the client's. */
async function* paced(raw: Readable, { leastBytes, windowMs, totalMs }: Pace): AsyncGenerator<Uint8Array> {
  const end = (problem: string) => raw.destroy(new ForgeError("too-slow", problem));
  const slow = `the body came too slowly: less than ${leastBytes} bytes in ${windowMs / 1000} s`;
  const total = setTimeout(end, totalMs, `the body took more than ${totalMs / 1000} s`);
  let [broughtBytes, awaitedMs, askedAt] = [0, 0, performance.now()];
  let window = setTimeout(end, windowMs, slow);
  try {
    for await (const piece of raw as AsyncIterable<Uint8Array>) {
      clearTimeout(window);
      broughtBytes += piece.length;
      awaitedMs += performance.now() - askedAt;
      if (broughtBytes >= leastBytes) [broughtBytes, awaitedMs] = [0, 0];
      yield piece;
      askedAt = performance.now();
      window = setTimeout(end, windowMs - awaitedMs, slow);
    }
  } finally {
    clearTimeout(window);
    clearTimeout(total);
  }
}
