import ipaddr from "ipaddr.js";
import type { Config } from "#core/config";

/** The facts that an app's server passes with a request, as far as they say who connected. */
interface Connection {
  /** Set by `behindOrigin`, which checked that the edge said so. */
  readonly clientAddress?: string;
  /** Node's own request. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
  /** The event of a gateway or function URL. */
  readonly event?: { readonly requestContext?: { readonly http?: { readonly sourceIp?: string } } };
}

/**
 * The address of a request's sender; empty when unknown. `X-Forwarded-For` is believed only of TRUSTED_PROXIES: the
 * last address in it that is none of theirs.
 */
export function clientAddressOf(environment: unknown, headers: Headers, config: Config): string {
  const { clientAddress, incoming, event } = (environment ?? {}) as Connection;
  if (clientAddress !== undefined) return clientAddress;
  const connected = incoming?.socket?.remoteAddress ?? event?.requestContext?.http?.sourceIp ?? "";
  const isTrusted = trustIn(config.trustedProxies);
  if (!isTrusted(connected)) return connected;
  const forwarded = (headers.get("x-forwarded-for") ?? "").split(",").map((one) => one.trim());
  return forwarded.findLast((one) => one !== "" && !isTrusted(one)) ?? connected;
}

function trustIn(entries: readonly string[]): (address: string) => boolean {
  return (text) => {
    if (entries.length === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return entries.some((entry) => covers(entry, address));
  };
}

function covers(entry: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (ipaddr.isValid(entry)) return ipaddr.process(entry).toString() === address.toString();
  if (!ipaddr.isValidCIDR(entry)) return false;
  const [network, bits] = ipaddr.parseCIDR(entry);
  return network.kind() === address.kind() && address.match(network, bits);
}
