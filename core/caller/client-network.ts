import { parseAddress } from "../guarded-client/address.ts";

/**
 * What stands for one caller without an account: an IPv4 address, or an IPv6 network, because callers choose the last
 * 64 bits. A customer may own many of those networks, so the 48 bits of the site follow (RFC 6177).
 */
export function networksOf(address: string): readonly [network: string, site?: string] {
  const parsed = parseAddress(address);
  if (parsed === undefined) return [address === "" ? "unknown" : address.slice(0, 64)];
  if (parsed.kind() === "ipv4") return [parsed.toString()];
  const bytes = parsed.toByteArray();
  const first = (count: number) =>
    `${bytes
      .slice(0, count)
      .map((byte) => byte.toString(16))
      .join(".")}/${count * 8}`;
  return [first(8), first(6)];
}

/** The narrowest of them. */
export const networkOf = (address: string): string => networksOf(address)[0];
