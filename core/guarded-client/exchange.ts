import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { defined } from "../defined.ts";

/** One request to addresses that were checked before; nothing is resolved again, no connection is reused. */
export interface Exchange {
  readonly url: URL;
  /** The host of the URL without brackets. */
  readonly host: string;
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly connectTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly isTlsVerified: boolean;
  /** Ends the exchange when the whole time is used up. */
  readonly signal: AbortSignal;
}

/** An HTTP answer. `cutBy` says why the body is not whole; the status and headers count all the same. */
export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly cutBy?: "size" | "time" | "connection";
}

/** No HTTP answer came: no connection, TLS refused, cut off, too slow. The reason is for people. */
export interface NoAnswer {
  readonly kind: "no-answer";
  readonly reason: string;
}

const maxHeaderBytes = 16 * 1024;
/** Tries the checked addresses one after another until one answers. */
const everyAddress = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1_000 };

/** The request of an exchange, connecting within its time; errors reach only listeners. */
export function openRequest(asked: Exchange): { request: http.ClientRequest; stop(): void } {
  const request = open(asked);
  // `once` hears the first error; later ones (of a destroyed socket) have nobody else to hear them.
  request.on("error", () => undefined);
  const connecting = connectTimer(asked, request);
  return { request, stop: connecting.stop };
}

/** Sends the request and reads the answer within the bounds. Never throws for the other side's faults. */
export async function exchange(asked: Exchange): Promise<Answered | NoAnswer> {
  const { request, stop } = openRequest(asked);
  try {
    request.end(asked.body);
    const [response] = (await once(request, "response", { signal: asked.signal })) as [http.IncomingMessage];
    return await readAnswer(response, asked);
  } catch (error) {
    return { kind: "no-answer", reason: reasonOf(error, asked) };
  } finally {
    stop();
    request.destroy();
  }
}

function open(asked: Exchange): http.ClientRequest {
  const isSecure = asked.url.protocol === "https:";
  return (isSecure ? https : http).request({
    method: asked.method,
    hostname: asked.host,
    port: asked.url.port === "" ? (isSecure ? 443 : 80) : Number(asked.url.port),
    path: `${asked.url.pathname}${asked.url.search}`,
    headers: { ...asked.headers, ...lengthOf(asked.body) },
    agent: false,
    lookup: answerWith(asked.addresses),
    ...everyAddress,
    maxHeaderSize: maxHeaderBytes,
    rejectUnauthorized: asked.isTlsVerified,
  });
}

/** Always stated: Node leaves it out for methods that seldom have a body. */
function lengthOf(body: Exchange["body"]): Record<string, number> {
  return body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
}

/** A resolver that only knows the checked addresses. Node doesn't ask it for a host that is an address already. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, answer) => {
    if (options.all === true) return answer(null, found);
    answer(null, found[0]?.address ?? "", found[0]?.family);
  };
}

function connectTimer(asked: Exchange, request: http.ClientRequest): { stop(): void } {
  const timer = setTimeout(() => {
    request.destroy(new Error(`no connection within ${asked.connectTimeoutMs} ms`));
  }, asked.connectTimeoutMs);
  const stop = () => clearTimeout(timer);
  request.once("socket", (socket) => {
    socket.once(asked.url.protocol === "https:" ? "secureConnect" : "connect", stop);
  });
  return { stop };
}

async function readAnswer(response: http.IncomingMessage, asked: Exchange): Promise<Answered> {
  const chunks: Buffer[] = [];
  let size = 0;
  let cutBy: Answered["cutBy"];
  const stop = () => response.destroy(new Error("out of time"));
  asked.signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= asked.maxBodyBytes) continue;
      cutBy = "size";
      break;
    }
  } catch {
    cutBy = asked.signal.aborted ? "time" : "connection";
  } finally {
    asked.signal.removeEventListener("abort", stop);
  }
  return {
    kind: "answered",
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    body: Buffer.concat(chunks).subarray(0, asked.maxBodyBytes),
    ...defined({ cutBy }),
  };
}

/** Lower-case names; repeated headers joined by a comma. */
export const headersOf = (response: http.IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));

/** Why no answer came, for people. */
export function reasonOf(error: unknown, asked: Pick<Exchange, "signal">): string {
  if (asked.signal.aborted) return "no answer in time";
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: Error[] };
  const text = message === "" ? (errors ?? []).map((one) => one.message).join("; ") : message;
  return code === undefined || text.includes(code) ? text : `${text} (${code})`;
}
