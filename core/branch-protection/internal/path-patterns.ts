import { parseGlob } from "../../pattern/glob.ts";
import type { MatchTime } from "../../pattern/match-time.ts";
import { Patterns } from "../../pattern/patterns.ts";

/** Globs separated by `;`, in any case; `.` and `/` separate names (semantics §12.2). */
const parsePatterns = (patterns: string) =>
  patterns
    .split(";")
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => pattern !== "")
    .map((pattern) => ({ pattern, glob: parseGlob(pattern, "./") }));

/**
 * The first path that one of the patterns matches; with `isFor` false the first that none matches. Invalid patterns
 * match nothing. MatchingTooLong when the time is over.
 */
export async function findPath(
  paths: readonly string[],
  patterns: string,
  { isFor, time }: { readonly isFor: boolean; readonly time: MatchTime },
): Promise<string | undefined> {
  const sources = parsePatterns(patterns).flatMap(({ glob }) => ("source" in glob ? [glob.source] : []));
  const all = new Patterns(sources);
  for (const path of paths) if ((await all.matches(path.toLowerCase(), time)) === isFor) return path;
  return undefined;
}

/** What is wrong with the first invalid pattern, or undefined. */
export function patternProblem(patterns: string): string | undefined {
  for (const { pattern, glob } of parsePatterns(patterns)) {
    if ("problem" in glob) return `GlobPattern: ${glob.problem} [pattern: ${pattern}]`;
  }
  return undefined;
}
