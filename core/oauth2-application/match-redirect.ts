import type { OAuth2Client } from "./client.ts";

/** What can be sent in a header, and compared without regard to case, as it is. */
const plain = /^[\x21-\x7e]+$/;

/**
 * Whether a program may have its users sent back to an address: it is one of those registered, whatever the case and one
 * slash at the end. For programs on users' machines any port of an `http` loopback address will do (semantics §68.2,
 * RFC 8252 section 7.3).
 */
export function isRegisteredRedirect(
  { redirectUris, isConfidential }: Pick<OAuth2Client, "redirectUris" | "isConfidential">,
  asked: string,
): boolean {
  if (!plain.test(asked)) return false;
  const isAnyPort = !isConfidential && isLoopback(asked);
  return redirectUris.some(
    (uri) =>
      isSameRedirect(uri, asked) ||
      (isAnyPort && isLoopback(uri) && isSameRedirect(withoutPort(uri), withoutPort(asked))),
  );
}

/** Whether two addresses are one, by the same rules but the port. */
export const isSameRedirect = (one: string, other: string): boolean =>
  comparableRedirect(one) === comparableRedirect(other);

/** The same text for all ways to write one address. */
export const comparableRedirect = (uri: string): string => uri.toLowerCase().replace(/\/$/, "");

function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isAddress = /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === "[::1]";
  return protocol === "http:" && isAddress && username === "" && password === "";
}

function withoutPort(text: string): string {
  const url = new URL(text);
  url.port = "";
  return url.href;
}
