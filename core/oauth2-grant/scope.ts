import { areScopesWithin, isKnownScope, normalizeScopes } from "../token/scope.ts";

/** Scopes of OpenID Connect: what an id token tells, beside what a token may do. */
const identityScopes = ["openid", "profile", "email", "groups"] as const;
export type IdentityScope = (typeof identityScopes)[number];

const isIdentity = (scope: string): scope is IdentityScope =>
  (identityScopes as readonly string[]).includes(scope);

/** A scope that was meant to limit, but limits nothing: ignored, it would leave the program with every right. */
const misspelled = /^(?:read|write):/;

/**
 * The scopes that a program asks for, in their stored form; the first word that looks like one of ours and is none. Words
 * are separated by spaces, or by commas as some clients have them; others' words are ignored (OpenID Connect Core
 * section 3.1.2.1). None of the API's means all of it (semantics §68.2).
 */
export function readScopes(text: string): { scopes: string[] } | { unknown: string } {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const unknown = words.find((word) => misspelled.test(word) && !isKnownScope(word));
  if (unknown !== undefined) return { unknown };
  return { scopes: asStored(words) };
}

function asStored(words: readonly string[]): string[] {
  const api = normalizeScopes(words.filter((word) => !isIdentity(word) && isKnownScope(word)));
  const isUnlimited = api.every((scope) => scope === "public-only");
  return [...identityScopes.filter((one) => words.includes(one)), ...api, ...(isUnlimited ? ["all"] : [])];
}

/** What the tokens of these scopes may do. */
export const apiScopesOf = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => !isIdentity(scope));

/** What an id token of these scopes tells. */
export const identityScopesOf = (scopes: readonly string[]): IdentityScope[] => scopes.filter(isIdentity);

/** Whether scopes ask for no more than what was given. */
export const areWithin = (asked: readonly string[], given: readonly string[]): boolean =>
  identityScopesOf(asked).every((scope) => given.includes(scope)) &&
  areScopesWithin(apiScopesOf(asked), apiScopesOf(given));

/**
 * What a user has let a program do when they agree to more. Limits to public things don't add up: what the two allow
 * together was never asked for, so the later ones stand alone.
 */
export function widened(before: readonly string[], asked: readonly string[]): string[] {
  const isAlike = before.includes("public-only") === asked.includes("public-only");
  return asStored(isAlike ? [...before, ...asked] : asked);
}
