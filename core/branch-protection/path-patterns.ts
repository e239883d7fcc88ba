import { parseGlob } from "../glob.ts";

/** Globs with `;` between them, whatever the case; `.` and `/` part names (semantics §12.2). */
const parsePatterns = (patterns: string) =>
  patterns
    .split(";")
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => pattern !== "")
    .map((pattern) => ({ pattern, glob: parseGlob(pattern, "./") }));

/** Says whether one of the patterns is for a path; those that are none are for no path. */
export function pathMatcher(patterns: string): (path: string) => boolean {
  const globs = parsePatterns(patterns).flatMap(({ glob }) => ("matches" in glob ? [glob] : []));
  return (path) => globs.some((glob) => glob.matches(path.toLowerCase()));
}

/** What is wrong with the first of the patterns that is none, or undefined. */
export function patternProblem(patterns: string): string | undefined {
  for (const { pattern, glob } of parsePatterns(patterns)) {
    if ("problem" in glob) return `GlobPattern: ${glob.problem} [pattern: ${pattern}]`;
  }
  return undefined;
}
