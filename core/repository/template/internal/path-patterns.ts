import { Patterns } from "../../../pattern/patterns.ts";
import { wildmatch } from "../../../pattern/wildmatch.ts";

const most = { patterns: 1_000, characters: 20_000 };

/**
 * Patterns of paths, one a line, as `.gitea/template` lists files: `*` and `?` within a folder, `**` any number of
 * folders. Empty lines and those that begin with `#` say nothing, nor do those beyond 20,000 characters.
 */
export function readPathPatterns(text: string): Patterns {
  let characters = 0;
  const sources = text
    .slice(0, 10 * most.characters)
    .split("\n")
    .map((line) => line.trim().replace(/^\.?\//, ""))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .slice(0, most.patterns)
    .filter((line) => {
      characters += line.length;
      return characters <= most.characters;
    })
    .flatMap((line) => wildmatch(line.replace(/[[\\]/g, "\\$&")) ?? []);
  return new Patterns(sources);
}
