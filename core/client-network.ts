import { parseAddress } from "./guarded-client/address.ts";

/** What stands for one caller without an account: an address, of IPv6 the network, as callers choose the last 64 bits. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return address === "" ? "unknown" : address.slice(0, 64);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed
    .toByteArray()
    .slice(0, 8)
    .map((byte) => byte.toString(16))
    .join(".")}/64`;
}
