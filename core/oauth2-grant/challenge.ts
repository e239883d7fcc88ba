import { createHash, timingSafeEqual } from "node:crypto";
import type { Challenge } from "./oauth2-grant.table.ts";

/** Unreserved characters (RFC 7636, section 4.2). */
const allowed = /^[\w.~-]{43,128}$/;
/** And those of plain base64: in it are the verifiers of git-credential-oauth 0.4. */
const allowedVerifier = /^[\w.~+/=-]{43,128}$/;

/** Whether a text can be the challenge of a method. */
export const isChallenge = ({ method, value }: Challenge): boolean =>
  allowed.test(value) && (method === "plain" || value.length === 43);

/**
 * Whether a verifier is the one that a code was asked for with; a code without a challenge takes none, so that nobody
 * can leave the challenge out on another's behalf (RFC 9700, section 4.8).
 */
export function isVerified(challenge: Challenge | undefined, verifier: string): boolean {
  if (challenge === undefined) return verifier === "";
  if (!allowedVerifier.test(verifier)) return false;
  const shown =
    challenge.method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(shown), digest(challenge.value));
}
