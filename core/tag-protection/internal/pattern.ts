import { parseGlob } from "../../glob.ts";

const longestPattern = 255;

/** A pattern over names of tags. */
export interface TagPattern {
  matches(name: string): boolean;
}

/**
 * Compiles a glob, or a regular expression between slashes, or says what is wrong with it. Expressions are RE2's, as in
 * the API family: matching takes time in proportion to expression times name, whatever users write. The first
 * expression loads the matcher.
 */
export async function parseTagPattern(pattern: string): Promise<TagPattern | { readonly problem: string }> {
  if (pattern.length > longestPattern) return { problem: `longer than ${longestPattern} characters` };
  const [, source] = /^\/(.*)\/$/s.exec(pattern) ?? [];
  if (source === undefined) return parseGlob(pattern);
  const { RE2JS, RE2JSSyntaxException } = await import("re2js");
  try {
    const expression = RE2JS.compile(source);
    return { matches: (name) => expression.matcher(name).find() };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { problem: error.message };
    throw error;
  }
}
