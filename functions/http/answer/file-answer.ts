/** Bytes to answer as they are; read only when they are wanted. */
export interface FileAnswer {
  readonly sizeBytes: number;
  readonly contentType: string;
  /** Distinguishes one content from another; without quotes. */
  readonly etag: string;
  /** Whole seconds since the epoch. */
  readonly modifiedAt?: number;
  readonly headers?: Readonly<Record<string, string>>;
  read(): AsyncIterable<Uint8Array>;
  /** Reads only from `start` to before `end`, when the bytes before need not be read for it. */
  readPart?(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Bytes from `start` to before `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A file as a response: 304 for a client that has it already, a range when one was asked for, 416 for one past the end.
 * HEAD, 304 and 416 don't read the file.
 */
export function fileAnswer(request: Request, file: FileAnswer, signal?: AbortSignal): Response {
  const headers = headersOf(file);
  if (isKnown(request.headers, file)) {
    headers.delete("content-type");
    return new Response(null, { status: 304, headers });
  }
  const range = rangeOf(request.headers, file);
  if (range === "past-the-end") {
    headers.delete("content-type");
    headers.set("content-range", `bytes */${file.sizeBytes}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: file.sizeBytes };
  headers.set("content-length", String(end - start));
  if (range !== undefined) headers.set("content-range", `bytes ${start}-${end - 1}/${file.sizeBytes}`);
  // A stream without a byte never begins on Lambda, whose front takes that for a failure.
  const body = request.method === "HEAD" || start === end ? null : streamOf(file, { start, end }, signal);
  return new Response(body, { status: range === undefined ? 200 : 206, headers });
}

function headersOf({ headers, contentType, etag, modifiedAt }: FileAnswer): Headers {
  const all = new Headers(headers);
  all.set("content-type", contentType);
  all.set("etag", `"${etag}"`);
  all.set("accept-ranges", "bytes");
  if (modifiedAt !== undefined) all.set("last-modified", httpDate(modifiedAt));
  return all;
}

const httpDate = (seconds: number): string => new Date(seconds * 1000).toUTCString();

/** `If-None-Match` goes before `If-Modified-Since` (RFC 9110, section 13.1). */
function isKnown(asked: Headers, { etag, modifiedAt }: FileAnswer): boolean {
  const tags = asked.get("if-none-match");
  if (tags !== null) {
    return (
      tags.trim() === "*" || tags.split(",").some((tag) => tag.trim().replace(/^W\//, "") === `"${etag}"`)
    );
  }
  const since = Date.parse(asked.get("if-modified-since") ?? "");
  return modifiedAt !== undefined && !Number.isNaN(since) && modifiedAt * 1000 <= since;
}

/** The one range of the request; several ranges, and unreadable ones, count as none. */
function rangeOf(asked: Headers, { sizeBytes, etag }: FileAnswer): Range | "past-the-end" | undefined {
  const condition = asked.get("if-range");
  if (condition !== null && condition.trim() !== `"${etag}"`) return undefined;
  const match = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/.exec((asked.get("range") ?? "").trim());
  if (match === null) return undefined;
  const [, first, last, suffix] = match;
  const start = first === undefined ? Math.max(0, sizeBytes - Number(suffix)) : Number(first);
  const end = last ? Math.min(Number(last) + 1, sizeBytes) : sizeBytes;
  if (start >= sizeBytes || (first === undefined && Number(suffix) === 0)) return "past-the-end";
  return end > start ? { start, end } : undefined;
}

function streamOf(
  file: FileAnswer,
  range: Range,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const pieces =
    file.readPart === undefined
      ? within(file.read(), range)
      : file.readPart(range.start, range.end)[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal?.throwIfAborted();
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
        }
      },
      async cancel() {
        await pieces.return?.(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* within(
  pieces: AsyncIterable<Uint8Array>,
  { start, end }: Range,
): AsyncGenerator<Uint8Array, undefined> {
  let at = 0;
  for await (const piece of pieces) {
    const from = Math.max(0, start - at);
    const to = Math.min(piece.length, end - at);
    at += piece.length;
    if (to > from) yield piece.subarray(from, to);
    if (at >= end) return undefined;
  }
  return undefined;
}
