import { anyCharacter, literal, oneOf, type Range } from "./internal/expression.ts";

/** A pattern as an expression of RE2's language, or what is wrong with it. */
export type ParsedPattern = { readonly source: string } | { readonly problem: string };

const longestPattern = 1_000;
const deepestNesting = 20;
/** An escape, a run of stars, a class, or one character. A `]` right after the start of a class belongs to it. */
const tokens = /\\.|\*+|\[(?:[!^].|[^!^])[^\]]*\]|./gsu;

/**
 * Reads a glob over names: `*` and `**` match any characters (slashes too), `?` one character, `[a-z]` and `[!a-z]` one
 * of a class, `{a,b}` alternatives, `\` takes the next character literally. With `separators`, `*` and `?` stop at these
 * characters, and only `**` goes past them.
 */
export function parseGlob(pattern: string, separators = ""): ParsedPattern {
  if (pattern.length > longestPattern) return { problem: `longer than ${longestPattern} characters` };
  const parts: string[] = [];
  let depth = 0;
  for (const [token] of pattern.matchAll(tokens)) {
    if (token === "\\") return { problem: "ends with a lone backslash" };
    if (token === "[") return { problem: "a [ without its ]" };
    if (token === "{") depth += 1;
    if (depth > deepestNesting) return { problem: `braces nested deeper than ${deepestNesting}` };
    parts.push(partOf(token, depth > 0, separators));
    if (token === "}" && depth > 0) depth -= 1;
  }
  return depth > 0 ? { problem: "a { without its }" } : { source: parts.join("") };
}

function partOf(token: string, isInBraces: boolean, separators: string): string {
  if (token === "{") return "(?:";
  if (token === "}" && isInBraces) return ")";
  if (token === "," && isInBraces) return "|";
  if (token === "?") return oneOf([], { isNegated: true, never: separators });
  if (token.startsWith("*")) {
    const one = token === "*" ? oneOf([], { isNegated: true, never: separators }) : anyCharacter;
    return `${one}*`;
  }
  return token.startsWith("[") ? classOf(token) : literal(token.replace(/^\\/, ""));
}

function classOf(token: string): string {
  const isNegated = /^\[[!^]/.test(token);
  const characters = token.slice(isNegated ? 2 : 1, -1);
  const ranges = [...characters.matchAll(/(.)(?:-(.))?/gsu)].map(([, first = "", last = first]): Range => {
    return [first, last];
  });
  return oneOf(ranges, { isNegated });
}
