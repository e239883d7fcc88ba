import { anyCharacter, literal, oneOf, type Range } from "./internal/expression.ts";

/** `**` and a slash at the beginning or after a slash stand for no name as well. */
const tokens = /\\.|(?<=^|\/)\*\*\/|\*+|\[[^\]]+\]|./gsu;

/**
 * Reads a filter of a workflow over names and paths (semantics §64.2): `*` stays within a name, `**` goes past slashes,
 * `?` and `+` mean none or one, and one or more, of what stands before them, `[a-z]` is one of a class, and `\` takes the
 * next character literally. Answers an expression of RE2's language.
 */
export function filterGlob(pattern: string): string {
  const parts: string[] = [];
  for (const [token] of pattern.matchAll(tokens)) {
    const isAfterOne = parts.length > 0 && !/[*?+]$/.test(parts.at(-1) ?? "");
    if ((token === "?" || token === "+") && isAfterOne) parts.push(`${parts.pop()}${token}`);
    else parts.push(partOf(token));
  }
  return parts.join("");
}

function partOf(token: string): string {
  if (token === "*") return `${oneOf([], { isNegated: true, never: "/" })}*`;
  if (token === "**/") return `(?:${anyCharacter}*/)?`;
  if (token.startsWith("**")) return `${anyCharacter}*`;
  if (token.startsWith("[") && token.length > 2) return classOf(token);
  return literal(token.startsWith("\\") ? token.slice(1) : token);
}

function classOf(token: string): string {
  const ranges = [...token.slice(1, -1).matchAll(/(.)(?:-(.))?/gsu)].map(
    ([, first = "", last = first]): Range => [first, last],
  );
  return oneOf(ranges);
}
