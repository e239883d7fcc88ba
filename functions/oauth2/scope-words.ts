/** What a scope lets a program do, for the user who is asked. */
export function scopeWords(scopes: readonly string[]): string[] {
  const isPublicOnly = scopes.includes("public-only");
  const words = scopes.flatMap((scope) => wordsOf(scope) ?? []);
  return isPublicOnly ? [...words, "only where everybody may look anyway"] : words;
}

const identity: Readonly<Record<string, string>> = {
  openid: "know who you are",
  profile: "see your name, page and picture",
  email: "see your e-mail address",
  groups: "see your organizations and teams",
  all: "do everything that you may do: read, write and delete whatever you can",
};

function wordsOf(scope: string): string | undefined {
  const [level, category] = scope.split(":");
  if (category === undefined) return Object.hasOwn(identity, scope) ? identity[scope] : undefined;
  return level === "write" ? `read and change: ${category}` : `read: ${category}`;
}
