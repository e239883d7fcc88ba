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
  return redirectUris.some(
    (uri) => isSameRedirect(uri, asked) || (!isConfidential && isSameLoopback(uri, asked)),
  );
}

/** Whether two addresses are one, by the same rules but the port. */
export const isSameRedirect = (one: string, other: string): boolean =>
  comparableRedirect(one) === comparableRedirect(other);

/** The same text for all ways to write one address. */
export const comparableRedirect = (uri: string): string => uri.toLowerCase().replace(/\/$/, "");

/** As it is written: other ways to write a host, which browsers know many of, are other addresses. */
const loopback = /^http:\/\/(127(?:\.\d{1,3}){3}|\[::1\])(?::\d{0,5})?(?=[/?]|$)/i;

/** Whether both are of loopback, and one address but for their ports. */
const isSameLoopback = (one: string, other: string): boolean =>
  loopback.test(one) && loopback.test(other) && isSameRedirect(withoutPort(one), withoutPort(other));

const withoutPort = (uri: string): string => uri.replace(loopback, "http://$1");
