import type { CallersCompute } from "../../compute/compute.ts";
import { TaskEnded } from "../../compute/task.ts";
import { expressionProblemTask } from "../../pattern/expression-task.ts";
import { type ParsedPattern, parseGlob } from "../../pattern/glob.ts";
import { Patterns } from "../../pattern/patterns.ts";

const longestPattern = 255;

/** A glob over names of tags, or an expression of RE2's language between slashes, as in the API family. */
function parse(pattern: string): ParsedPattern & { readonly isWhole: boolean } {
  const [, source] = /^\/(.*)\/$/s.exec(pattern) ?? [];
  return source === undefined ? { ...parseGlob(pattern), isWhole: true } : { source, isWhole: false };
}

/** What is wrong with a pattern, or undefined. */
export async function tagPatternProblem(
  compute: CallersCompute,
  pattern: string,
): Promise<string | undefined> {
  if (pattern.length > longestPattern) return `longer than ${longestPattern} characters`;
  const parsed = parse(pattern);
  if ("problem" in parsed) return parsed.problem;
  if (parsed.isWhole) return undefined;
  return compute(expressionProblemTask, { source: parsed.source }).catch((error: unknown) => {
    if (error instanceof TaskEnded) return "takes too long to read";
    throw error;
  });
}

/** What matches the tags of a valid pattern. */
export function tagPatterns(pattern: string): Patterns {
  const parsed = parse(pattern);
  return new Patterns("source" in parsed ? [parsed.source] : [], { isWhole: parsed.isWhole });
}
