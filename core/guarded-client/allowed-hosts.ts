import ipaddr from "ipaddr.js";
import { type AddressKind, addressKind, parseAddress } from "./address.ts";

/** The hosts that a client may connect to, parsed from a setting such as WEBHOOK_ALLOWED_HOST_LIST. */
export interface AllowedHosts {
  /** The setting's variable, for messages. */
  readonly setting: string;
  /** Whether `address` may be connected to for a URL that names `host` (without brackets or port). */
  permits(host: string, address: string): boolean;
  /**
   * Why not: a sentence that names the setting and the word that would permit it. Users read it: where a name leads
   * inside the operator's network it doesn't say.
   */
  refusal(host: string, addresses: readonly string[]): string;
}

const kindWords: readonly string[] = ["external", "private", "loopback"] satisfies AddressKind[];

/** The problem with one entry of the list, or undefined: for the check of settings at start. */
export function allowedHostProblem(entry: string): string | undefined {
  if (entry.includes("/") && !ipaddr.isValidCIDR(entry))
    return `${entry} is not a network such as 10.1.0.0/16`;
  return /^[\w.:*?[\]/-]+$/.test(entry) ? undefined : `${entry} is neither a word, a network nor a host name`;
}

/** The problem with one entry of a list of networks, or undefined: for the check of settings at start. */
export function networkProblem(entry: string): string | undefined {
  return asNetwork(entry).length > 0
    ? undefined
    : `${entry} is neither an address such as 10.1.2.3 nor a network such as 10.1.0.0/16`;
}

/**
 * Entries: `external`, `private`, `loopback`, `*` (everything), networks and addresses, and host names in which `*`
 * stands for any characters. A host name permits every address that it resolves to: an operator who lists it, trusts
 * it.
 */
export function parseAllowedHosts(setting: string, entries: readonly string[]): AllowedHosts {
  const words = entries.map((entry) => entry.toLowerCase());
  const kinds = new Set(words.filter((word) => kindWords.includes(word)));
  const networks = words.flatMap(asNetwork);
  const names = words.filter((word) => !kinds.has(word) && asNetwork(word).length === 0).map(asPattern);

  function permits(host: string, text: string): boolean {
    const name = host.toLowerCase();
    if (names.some((pattern) => pattern.test(name))) return true;
    const address = parseAddress(text);
    if (address === undefined) return false;
    const isListed = networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
    return isListed || kinds.has(addressKind(address));
  }

  function refusal(host: string, addresses: readonly string[]): string {
    const [text = ""] = addresses;
    if (text !== host)
      return `${host} has no address that ${setting} permits; to permit it, add its name to ${setting}`;
    const address = parseAddress(text);
    const kind = address === undefined ? "reserved" : addressKind(address);
    const remedy = kind === "reserved" ? `the address or its network` : kind;
    return `${host} is ${article(kind)} address, which ${setting} does not permit; to permit it, add ${remedy} to ${setting}`;
  }

  return { setting, permits, refusal };
}

const article = (kind: AddressKind): string => (kind === "external" ? `an ${kind}` : `a ${kind}`);

function asNetwork(word: string): [ipaddr.IPv4 | ipaddr.IPv6, number][] {
  if (ipaddr.isValidCIDR(word)) return [ipaddr.parseCIDR(word)];
  const address = parseAddress(word);
  return address === undefined ? [] : [[address, address.kind() === "ipv4" ? 32 : 128]];
}

function asPattern(word: string): RegExp {
  const source = word
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`);
}
