import { once } from "node:events";
import type http from "node:http";
import { pipeline, Readable } from "node:stream";
import { type Exchange, headersOf, type NoAnswer, openRequest, reasonOf } from "../exchange.ts";

/** An answer whose body is still coming. */
export interface Opened {
  readonly kind: "opened";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its origin after redirects; without credentials. */
  readonly url: string;
  /** Throws BrokenTransfer when it ends early, or exceeds a bound. Read it once. */
  readonly body: AsyncIterable<Buffer>;
  /** Lets go of the connection, whatever is left of the body. */
  close(): void;
}

/** The body of an answer ended early; the message is for people. */
export class BrokenTransfer extends Error {
  readonly cutBy: "size" | "time" | "connection";
  constructor(cutBy: BrokenTransfer["cutBy"], message: string) {
    super(message);
    this.name = "BrokenTransfer";
    this.cutBy = cutBy;
  }
}

interface StreamedBody {
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly idleTimeoutMs?: number;
}

/** Sends a request and hands over its answer at the first byte. Never throws for the other side's faults. */
export async function openExchange(
  asked: Omit<Exchange, "body">,
  { body, idleTimeoutMs }: StreamedBody,
): Promise<Opened | NoAnswer> {
  const isWhole = body === undefined || body instanceof Uint8Array;
  const { request, stop } = openRequest({ ...asked, body: isWhole ? body : undefined });
  const error = new BrokenTransfer("time", `the other side was silent for ${idleTimeoutMs} ms`);
  const silence: Silence = { error, isHeard: false };
  try {
    if (idleTimeoutMs !== undefined) {
      request.setTimeout(idleTimeoutMs, () => {
        silence.isHeard = true;
        request.destroy(silence.error);
      });
    }
    const answered = once(request, "response", { signal: asked.signal });
    if (isWhole) request.end(body);
    // Its failure is the request's own, which is listened to.
    else pipeline(Readable.from(body), request, () => undefined);
    const [response] = (await answered) as [http.IncomingMessage];
    return opened(asked, request, response, silence);
  } catch (error) {
    request.destroy();
    return { kind: "no-answer", reason: reasonOf(error, asked) };
  } finally {
    stop();
  }
}

/** Whether silence ended an exchange: an answer only hears that its connection is gone. */
interface Silence {
  readonly error: BrokenTransfer;
  isHeard: boolean;
}

function opened(
  asked: Omit<Exchange, "body">,
  request: http.ClientRequest,
  response: http.IncomingMessage,
  silence: Silence,
): Opened {
  const url = new URL(asked.url);
  [url.username, url.password] = ["", ""];
  // The body's reader hears it; before that, perhaps nobody.
  response.on("error", () => undefined);
  return {
    kind: "opened",
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    url: url.href,
    body: bodyOf(asked, request, response, silence),
    close: () => request.destroy(),
  };
}

async function* bodyOf(
  asked: Omit<Exchange, "body">,
  request: http.ClientRequest,
  response: http.IncomingMessage,
  silence: Silence,
): AsyncGenerator<Buffer> {
  const isLate = new BrokenTransfer("time", "the time for this transfer is up");
  const leave = () => request.destroy(isLate);
  asked.signal.addEventListener("abort", leave, { once: true });
  let size = 0;
  try {
    if (asked.signal.aborted) leave();
    for await (const piece of response as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > asked.maxBodyBytes) {
        throw new BrokenTransfer("size", `the answer has more than ${asked.maxBodyBytes} bytes`);
      }
      yield piece;
    }
  } catch (error) {
    if (error instanceof BrokenTransfer) throw error;
    if (silence.isHeard) throw silence.error;
    if (asked.signal.aborted) throw isLate;
    throw new BrokenTransfer("connection", `the transfer broke off: ${reasonOf(error, asked)}`);
  } finally {
    asked.signal.removeEventListener("abort", leave);
    request.destroy();
  }
}
