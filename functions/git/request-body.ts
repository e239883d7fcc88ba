import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { createGunzip } from "node:zlib";
import { ProtocolError } from "#core/git/protocol/protocol-error";

/** A body grew past its bound. */
export class BodyTooLarge extends Error {
  constructor(limitBytes: number) {
    super(`the request has more than ${limitBytes} bytes`);
    this.name = "BodyTooLarge";
  }
}

/** The client closed the connection before its request was whole: nobody is there to be told. */
export class ClientLeft extends Error {
  constructor(cause: unknown) {
    super("the client left before its request was whole", { cause });
    this.name = "ClientLeft";
  }
}

export interface BodyBounds {
  /** Bytes after inflating. */
  readonly limitBytes: number;
  /** How long the client may stay silent. */
  readonly idleMs: number;
  /** How long the whole body may take. */
  readonly totalMs: number;
}

const encodings = new Set(["", "identity", "gzip", "x-gzip"]);

/** Whether a request's Content-Encoding is one that this server reads. */
export const canDecode = (request: Request): boolean => encodings.has(encodingOf(request));

const encodingOf = (request: Request): string =>
  (request.headers.get("content-encoding") ?? "").toLowerCase();

/**
 * A request's body, inflated where it came compressed, bounded in size, silence and time. Throws BodyTooLarge,
 * ClientLeft, or ProtocolError.
 */
export async function* readBody(request: Request, bounds: BodyBounds): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  const raw = Readable.fromWeb(request.body as NodeReadableStream<Uint8Array>);
  const source = encodingOf(request).endsWith("gzip") ? inflated(raw) : raw;
  let size = 0;
  try {
    for await (const piece of inTime(source, bounds)) {
      size += piece.length;
      if (size > bounds.limitBytes) throw new BodyTooLarge(bounds.limitBytes);
      yield piece;
    }
  } catch (error) {
    if (isZlibError(error)) throw new ProtocolError("the request is not valid gzip", { cause: error });
    const isOurs = error instanceof ProtocolError || error instanceof BodyTooLarge;
    throw isOurs ? error : new ClientLeft(error);
  } finally {
    raw.destroy();
  }
}

/** Errors of either stream come out of the one that is read. */
function inflated(raw: Readable): Readable {
  const gunzip = createGunzip();
  pipeline(raw, gunzip, (error) => {
    if (error) gunzip.destroy(error);
  });
  return gunzip;
}

const isZlibError = (error: unknown): boolean =>
  ((error as NodeJS.ErrnoException).code ?? "").startsWith("Z_");

async function* inTime(source: Readable, { idleMs, totalMs }: BodyBounds): AsyncGenerator<Uint8Array> {
  const end = (problem: string) => source.destroy(new ProtocolError(problem));
  // What passes while nobody asks for more is our own time, not the client's silence.
  let isAwaited = true;
  const idle = setTimeout(() => {
    if (isAwaited) end(`nothing came from the client for ${idleMs / 1000} s`);
  }, idleMs);
  const total = setTimeout(end, totalMs, `the request took more than ${totalMs / 1000} s`);
  try {
    for await (const piece of source as AsyncIterable<Uint8Array>) {
      isAwaited = false;
      yield piece;
      isAwaited = true;
      idle.refresh();
    }
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
  }
}
