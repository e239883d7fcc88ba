import type { ScopeCategory, TokenGrant } from "../actor.ts";

const categories: readonly ScopeCategory[] = [
  "activitypub",
  "admin",
  "misc",
  "notification",
  "organization",
  "package",
  "issue",
  "repository",
  "user",
];
const everyWrite = categories.map((category) => `write:${category}`);
const known = new Set([
  "all",
  "public-only",
  "sudo",
  "",
  ...everyWrite,
  ...categories.map((one) => `read:${one}`),
]);

/** What a request needs of a token: GET and HEAD read, the others write. */
export type ScopeLevel = "read" | "write";

/** Whether there is such a scope. */
export const isKnownScope = (scope: string): boolean => known.has(scope);

/** The first scope string that does not exist, or undefined when all do. */
export const unknownScope = (scopes: readonly string[]): string | undefined =>
  scopes.find((scope) => !isKnownScope(scope));

/** The stored form of scopes (semantics §2.5): no duplicates, no implied reads, fixed order, `all` for every write. */
export function normalizeScopes(scopes: readonly string[]): string[] {
  const given = new Set(scopes);
  const restriction = given.has("public-only") ? ["public-only"] : [];
  if (given.has("all") || everyWrite.every((scope) => given.has(scope))) return [...restriction, "all"];
  const granted = categories.flatMap((category) => {
    if (given.has(`write:${category}`)) return [`write:${category}`];
    return given.has(`read:${category}`) ? [`read:${category}`] : [];
  });
  return [...restriction, ...granted];
}

/** Whether normalized scopes allow `level` on `category`. */
export function allows(scopes: readonly string[], category: ScopeCategory, level: ScopeLevel): boolean {
  if (scopes.includes("all") || scopes.includes(`write:${category}`)) return true;
  return level === "read" && scopes.includes(`read:${category}`);
}

/** The first `level:category` that the grant lacks, or undefined when it has them all; a password lacks nothing. */
export function missingScope(
  grant: TokenGrant | undefined,
  needed: readonly ScopeCategory[],
  level: ScopeLevel,
): string | undefined {
  if (grant === undefined) return undefined;
  const missing = needed.find((category) => !allows(grant.scopes, category, level));
  return missing === undefined ? undefined : `${level}:${missing}`;
}

/** Whether `asked` gives no more than `own` (D-TOKEN): a token can never mint more than it has. */
export function areScopesWithin(asked: readonly string[], own: readonly string[]): boolean {
  if (own.includes("public-only") && !asked.includes("public-only")) return false;
  if (own.includes("all")) return true;
  if (asked.includes("all")) return false;
  return asked
    .filter((scope) => scope !== "public-only")
    .every((scope) => {
      const [level, category] = scope.split(":") as [ScopeLevel, ScopeCategory];
      return allows(own, category, level);
    });
}
