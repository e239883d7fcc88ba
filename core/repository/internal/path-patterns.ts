/**
 * Patterns of paths, one a line, as `.gitea/template` lists files: `*` and `?` within a folder, `**` any number of
 * folders. Matching takes time in proportion to pattern times path, whatever the pattern: users write them.
 */
export interface PathPatterns {
  matches(path: string): boolean;
}

const mostPatterns = 1_000;

/** Reads patterns; empty lines and those that begin with `#` say nothing. */
export function parsePathPatterns(text: string): PathPatterns {
  const patterns = text
    .split("\n")
    .map((line) => line.trim().replace(/^\.?\//, ""))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .slice(0, mostPatterns)
    .map((line) => line.split("/"));
  return {
    matches: (path) => {
      const names = path.split("/");
      return patterns.some((pattern) => isWild(pattern, names, "**", isNameMatch));
    },
  };
}

const isNameMatch = (pattern: string, name: string): boolean =>
  isWild([...pattern], [...name], "*", (one, other) => one === "?" || one === other);

/** Whether a row of things matches a pattern in which `wild` stands for any number of them. */
function isWild(
  pattern: readonly string[],
  things: readonly string[],
  wild: string,
  isMatch: (one: string, other: string) => boolean,
): boolean {
  let [at, next] = [0, 0];
  let [wildAt, resumeAt] = [-1, 0];
  while (next < things.length) {
    const one = pattern[at];
    if (one === wild) {
      [wildAt, resumeAt] = [at, next];
      at += 1;
    } else if (one !== undefined && isMatch(one, things[next] as string)) {
      at += 1;
      next += 1;
    } else if (wildAt >= 0) {
      resumeAt += 1;
      [at, next] = [wildAt + 1, resumeAt];
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((one) => one === wild);
}
