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

export interface BodyBounds {
  /** Bytes after inflating. */
  readonly limitBytes: number;
  /** How long the client may stay silent. */
  readonly idleMs: number;
}

const encodings = new Set(["", "identity", "gzip", "x-gzip"]);

/** Whether a request's Content-Encoding is one that this server reads. */
export const canDecode = (request: Request): boolean => encodings.has(encodingOf(request));

const encodingOf = (request: Request): string =>
  (request.headers.get("content-encoding") ?? "").toLowerCase();

/** A request's body, inflated where it came compressed, bounded in size and in silence. */
export async function* readBody(request: Request, bounds: BodyBounds): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  const raw = Readable.fromWeb(request.body as NodeReadableStream<Uint8Array>);
  const source = encodingOf(request).endsWith("gzip") ? inflated(raw) : raw;
  let size = 0;
  try {
    for await (const piece of untilSilent(source, bounds.idleMs)) {
      size += piece.length;
      if (size > bounds.limitBytes) throw new BodyTooLarge(bounds.limitBytes);
      yield piece;
    }
  } catch (error) {
    throw isZlibError(error) ? new ProtocolError("the request is not valid gzip", { cause: error }) : error;
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

async function* untilSilent(source: Readable, idleMs: number): AsyncGenerator<Uint8Array> {
  const timer = setTimeout(() => {
    source.destroy(new ProtocolError(`nothing came from the client for ${idleMs / 1000} s`));
  }, idleMs);
  try {
    for await (const piece of source as AsyncIterable<Uint8Array>) {
      timer.refresh();
      yield piece;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}
