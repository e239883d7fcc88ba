import ipaddr from "ipaddr.js";

/**
 * The kinds of addresses: `external` is the open internet, `private` RFC 1918 and RFC 4193, `loopback` this machine;
 * `reserved` is everything else that nobody should be sent to (link-local, metadata services, carrier-grade NAT,
 * multicast, unspecified, documentation and future ranges).
 */
export type AddressKind = "external" | "private" | "loopback" | "reserved";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Metadata services outside of the link-local range: AWS and Google over IPv6, Azure. */
const metadataAddresses = new Set(["fd00:ec2::254", "fd20:ce::254", "168.63.129.16"]);

const kindOfRange: Readonly<Record<string, AddressKind>> = {
  unicast: "external",
  private: "private",
  uniqueLocal: "private",
  loopback: "loopback",
};

/** Parses an IP address without brackets; undefined for other texts (host names). */
export function parseAddress(text: string): Address | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  return address.kind() === "ipv6" ? (embeddedIpv4(address as ipaddr.IPv6) ?? address) : address;
}

/** The kind of an address; an address with an IPv4 address inside (mapped, NAT64, 6to4) has that one's. */
export function addressKind(address: Address): AddressKind {
  if (metadataAddresses.has(address.toString())) return "reserved";
  if (address.kind() === "ipv6" && isIpv4Compatible(address as ipaddr.IPv6)) return "reserved";
  return kindOfRange[address.range()] ?? "reserved";
}

/** The IPv4 address that a gateway would make of an IPv6 address of such a form (RFC 4291, 6052, 6145, 3056). */
function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  switch (address.range()) {
    case "ipv4Mapped":
    case "rfc6145":
      return new ipaddr.IPv4(bytes.slice(12));
    case "rfc6052":
      // 64:ff9b:1::/48 (RFC 8215) puts the address where the network's owner likes: it stays "reserved".
      return bytes[5] === 0 ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
    case "6to4":
      return new ipaddr.IPv4(bytes.slice(2, 6));
    default:
      return undefined;
  }
}

/** The deprecated form `::a.b.c.d`, which no range of the library names; `::` and `::1` have ranges of their own. */
function isIpv4Compatible(address: ipaddr.IPv6): boolean {
  return address.range() === "unicast" && address.parts.slice(0, 6).every((part) => part === 0);
}
