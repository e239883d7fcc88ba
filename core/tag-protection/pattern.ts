import { runInNewContext } from "node:vm";
import { parseGlob } from "../glob.ts";

const longestPattern = 255;
/** Some expressions take for ever on some names, and users write both. */
const matchMs = 50;

/** A pattern over names of tags: a glob, or a regular expression between slashes (`(?i)` in front: whatever the case). */
interface TagPattern {
  matches(name: string): boolean;
}

/** Compiles a pattern, or says what is wrong with it. */
export function parseTagPattern(pattern: string): TagPattern | { readonly problem: string } {
  if (pattern.length > longestPattern) return { problem: `longer than ${longestPattern} characters` };
  const [, caseless, source] = /^\/(\(\?i\))?(.*)\/$/s.exec(pattern) ?? [];
  if (source === undefined) return parseGlob(pattern);
  try {
    const expression = new RegExp(source, caseless === undefined ? "" : "i");
    return { matches: (name) => isMatch(expression, name) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: error.message };
    throw error;
  }
}

/** What takes too long counts as a match: the rule protects rather too much than too little. */
function isMatch(expression: RegExp, name: string): boolean {
  try {
    return runInNewContext("expression.test(name)", { expression, name }, { timeout: matchMs }) === true;
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return true;
    throw error;
  }
}
