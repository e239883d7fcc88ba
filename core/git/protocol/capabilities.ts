import type { ObjectFormat } from "../format/object-format.ts";
import { ProtocolError } from "./protocol-error.ts";

/** The name under which clients see this server. */
export const agent = "coldforge/0.1";

/** Capabilities that a client asked for: names, with the value after `=` if there is one. */
export type Capabilities = ReadonlyMap<string, string>;

/** Parses a list separated by spaces. */
export function parseCapabilities(text: string): Map<string, string> {
  const capabilities = new Map<string, string>();
  for (const word of text.split(" ")) {
    if (word === "") continue;
    const split = word.indexOf("=");
    if (split < 0) capabilities.set(word, "");
    else capabilities.set(word.slice(0, split), word.slice(split + 1));
  }
  return capabilities;
}

/** Throws ProtocolError when a client asks for a capability that was not offered. */
export function checkOffered(asked: Capabilities, offered: ReadonlySet<string>): void {
  for (const name of asked.keys()) {
    if (offered.has(name)) continue;
    throw new ProtocolError(`this server does not offer the capability "${name.slice(0, 80)}"`);
  }
}

/** Throws ProtocolError when the client works with the other hash; a client that says nothing means sha1. */
export function checkObjectFormat(asked: string | undefined, repository: ObjectFormat): void {
  const named = asked ?? "sha1";
  if (named === repository) return;
  throw new ProtocolError(
    `this repository uses ${repository} object ids, and the client sends ${named.slice(0, 80)}; ` +
      `clone it anew, or start over with "git init --object-format=${repository}"`,
  );
}
