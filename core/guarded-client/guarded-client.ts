import { lookup } from "node:dns/promises";
import { unescape as decode } from "node:querystring";
import { parseAddress } from "./address.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { type Answered, type Exchange, exchange, type NoAnswer } from "./exchange.ts";
import { type Opened, openExchange } from "./internal/open-exchange.ts";

/** A request to a URL that a user gave. */
export interface GuardedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The whole of it: resolving, connecting, redirects, the answer's last byte. */
  readonly totalTimeoutMs: number;
  /** Until connected, TLS included; at most the whole time. 5,000 when absent. */
  readonly connectTimeoutMs?: number;
  /** How many bytes of the answer's body are kept; the rest is cut off. Absent: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Absent: 0, so a redirect is the answer. Each hop is checked like the first URL. */
  readonly maxRedirects?: number;
}

/** Nothing was sent: the URL or the address behind it is not permitted. The reason names the setting. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: string;
}

/** The result of a guarded request. Expected failures are values; `send` throws only for wrong arguments. */
export type GuardedOutcome = Answered | Refused | NoAnswer;

/** A request whose body and answer are streams. */
export interface StreamedRequest extends Omit<GuardedRequest, "body"> {
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** How long the other side may be silent; absent: the whole time. */
  readonly idleTimeoutMs?: number;
  /** Ends the exchange. */
  readonly signal?: AbortSignal;
}

/** The one way to reach URLs that users gave (webhooks, mirrors, migrations). */
export interface GuardedClient {
  send(request: GuardedRequest): Promise<GuardedOutcome>;
}

/** The same for bodies that are too large to hold. */
export interface StreamingClient {
  /**
   * Hands over the answer's body as it comes. Redirects are followed only for requests without a body. The caller reads
   * the body or closes it; past a bound, reading throws BrokenTransfer.
   */
  open(request: StreamedRequest): Promise<Opened | Refused | NoAnswer>;
}

export interface GuardedClientOptions {
  readonly allowed: AllowedHosts;
  /** True accepts any certificate (SKIP_TLS_VERIFY). */
  readonly isTlsVerificationSkipped?: boolean;
  /** Addresses of a host name; absent: the machine's resolver. Tests inject one. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const systemResolve = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true, verbatim: true })).map((one) => one.address);

const defaults = { connectTimeoutMs: 5_000, maxBodyBytes: 1024 * 1024, maxRedirects: 0 };
const bodyKeepingRedirects = new Set([307, 308]);
const redirects = new Set([301, 302, 303, 307, 308]);

/** Makes a client that resolves once, checks every address, and connects only to checked ones. */
export function createGuardedClient(options: GuardedClientOptions): GuardedClient & StreamingClient {
  return {
    async send(request) {
      const signal = AbortSignal.timeout(request.totalTimeoutMs);
      let current = request;
      for (let left = request.maxRedirects ?? defaults.maxRedirects; ; left -= 1) {
        const outcome = await sendOnce(options, current, signal);
        const next = outcome.kind === "answered" && left > 0 ? redirected(current, outcome) : undefined;
        if (next === undefined) return outcome;
        current = next;
      }
    },
    async open(request) {
      const time = AbortSignal.timeout(request.totalTimeoutMs);
      const signal = request.signal === undefined ? time : AbortSignal.any([time, request.signal]);
      let current = request;
      for (let left = request.maxRedirects ?? defaults.maxRedirects; ; left -= 1) {
        const outcome = await openOnce(options, current, signal);
        const isFinal = outcome.kind !== "opened" || left <= 0 || request.body !== undefined;
        const next = isFinal ? undefined : redirected(current, outcome);
        if (next === undefined || outcome.kind !== "opened") return outcome;
        outcome.close();
        current = next;
      }
    },
  };
}

/** Sends one request; a redirect is the answer. */
async function sendOnce(
  options: GuardedClientOptions,
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedOutcome> {
  const asked = await checked(options, request, signal);
  return asked.kind === "checked" ? exchange({ ...asked, body: request.body }) : asked;
}

/** The same with streams. */
async function openOnce(
  options: GuardedClientOptions,
  request: StreamedRequest,
  signal: AbortSignal,
): Promise<Opened | Refused | NoAnswer> {
  const asked = await checked(options, request, signal);
  return asked.kind === "checked" ? openExchange(asked, request) : asked;
}

/** An exchange with addresses that may be connected to, its body apart. */
type CheckedExchange = Omit<Exchange, "body"> & { readonly kind: "checked" };

/** Resolves the request's host, and keeps the addresses that are permitted. */
async function checked(
  { allowed, resolve = systemResolve, isTlsVerificationSkipped }: GuardedClientOptions,
  request: Omit<GuardedRequest, "body">,
  signal: AbortSignal,
): Promise<CheckedExchange | Refused | NoAnswer> {
  const target = targetOf(request);
  if ("kind" in target) return target;
  const addresses = await addressesOf(target.host, resolve, signal);
  if ("kind" in addresses) return addresses;
  const permitted = addresses.found.filter((address) => allowed.permits(target.host, address));
  if (permitted.length === 0) {
    return { kind: "refused", reason: allowed.refusal(target.host, addresses.found) };
  }
  const { connectTimeoutMs, maxBodyBytes } = { ...defaults, ...request };
  return {
    kind: "checked",
    ...target,
    addresses: permitted,
    method: request.method,
    connectTimeoutMs,
    maxBodyBytes,
    isTlsVerified: isTlsVerificationSkipped !== true,
    signal,
  };
}

type Target = Pick<Exchange, "url" | "host" | "headers">;

/** Parses and checks the URL's form; credentials in it become an Authorization header, as in other clients. */
function targetOf(request: Omit<GuardedRequest, "body">): Target | Refused {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (url === undefined) return { kind: "refused", reason: "the URL is malformed" };
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { kind: "refused", reason: `only http and https are permitted, not ${url.protocol}` };
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const hasCredentials = url.username !== "" || url.password !== "";
  const pair = `${decode(url.username)}:${decode(url.password)}`;
  const credentials = hasCredentials
    ? { authorization: `Basic ${Buffer.from(pair).toString("base64")}` }
    : {};
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [name, value] as const);
  const isGiven = given.some(([name]) => name.toLowerCase() === "authorization");
  return { url, host, headers: { ...(isGiven ? {} : credentials), ...Object.fromEntries(given) } };
}

async function addressesOf(
  host: string,
  resolve: (host: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<{ found: readonly string[] } | NoAnswer> {
  if (parseAddress(host) !== undefined) return { found: [host] };
  try {
    const found = await Promise.race([resolve(host), rejectedBy(signal)]);
    if (found.length > 0) return { found };
    return { kind: "no-answer", reason: `the host name ${host} has no address` };
  } catch (error) {
    const reason = signal.aborted ? "no answer of the resolver in time" : (error as Error).message;
    return { kind: "no-answer", reason: `the host name ${host} did not resolve: ${reason}` };
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * The request that a redirect asks for, or undefined when it is an answer like any other. A request with a body is sent
 * on only by 307 and 308: a POST that turns into a GET would look delivered. Authorization stays with its origin.
 */
function redirected<T extends Omit<GuardedRequest, "body">>(
  request: T,
  answer: Pick<Answered, "status" | "headers">,
): T | undefined {
  const isPlain = request.method === "GET" || request.method === "HEAD";
  const followed = isPlain ? redirects : bodyKeepingRedirects;
  const { location } = answer.headers;
  if (location === undefined || !followed.has(answer.status) || !URL.canParse(location, request.url)) {
    return undefined;
  }
  const from = new URL(request.url);
  const to = new URL(location, from);
  const isSameOrigin = to.origin === from.origin;
  if (isSameOrigin && to.username === "") {
    to.username = from.username;
    to.password = from.password;
  }
  const headers = Object.entries(request.headers ?? {}).filter(
    ([name]) => isSameOrigin || !["authorization", "cookie"].includes(name.toLowerCase()),
  );
  return { ...request, url: to.href, headers: Object.fromEntries(headers) };
}
