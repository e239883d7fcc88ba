import { branchPrefix } from "../git/refs/ref-name.ts";
import { parseGlob } from "../pattern/glob.ts";
import { MatchTime } from "../pattern/match-time.ts";
import { Patterns } from "../pattern/patterns.ts";
import { patternsIn } from "./push-mirror.ts";

/**
 * The refs that a filter lets through: branches that it names; tags and notes always. An empty one lets everything
 * through. MatchingTooLong when matching takes too long.
 */
export async function filteredNames(
  filter: string,
  names: readonly string[],
  time = new MatchTime(),
): Promise<ReadonlySet<string>> {
  const sources = patternsIn(filter).flatMap((pattern) => {
    const glob = parseGlob(pattern);
    return "source" in glob ? [glob.source] : [];
  });
  if (sources.length === 0) return new Set(names);
  const patterns = new Patterns(sources);
  const passed = new Set<string>();
  for (const name of names) {
    const isBranch = name.startsWith(branchPrefix);
    if (!isBranch || (await patterns.matches(name.slice(branchPrefix.length), time))) passed.add(name);
  }
  return passed;
}
