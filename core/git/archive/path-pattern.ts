import { parseSegments, type Segment } from "./pattern-segments.ts";

/**
 * A pattern of a .gitattributes file. `name`: compared with the last name of a path, at any depth; else with the path
 * from the file's folder on, name by name.
 */
export type PathPattern = { readonly wantsFolder: boolean } & (
  | { readonly kind: "name" | "path"; readonly text: string }
  /** Names that end so. */
  | { readonly kind: "suffix"; readonly text: string }
  | { readonly kind: "wild-name"; readonly segment: Segment }
  | { readonly kind: "wild-path"; readonly segments: readonly Segment[] }
);

/** Longer patterns with wildcards match nothing: they would take too long. */
const longestWildcard = 256;

/**
 * Compiles a pattern as gitattributes(5) defines it: without a slash it is compared with the last name of a path, else
 * with the whole path; a slash at its end asks for a folder. Undefined when it can match nothing.
 */
export function compilePattern(text: string): PathPattern | undefined {
  const wantsFolder = text.endsWith("/");
  const body = wantsFolder ? text.slice(0, -1) : text;
  const isName = !body.includes("/");
  const fromRoot = body.startsWith("/") ? body.slice(1) : body;
  if (body === "") return undefined;
  if (!isWildcard(body)) return { wantsFolder, kind: isName ? "name" : "path", text: fromRoot };
  if (body.length > longestWildcard) return undefined;
  if (isName && body.startsWith("*") && !isWildcard(body.slice(1))) {
    return { wantsFolder, kind: "suffix", text: body.slice(1) };
  }
  const segments = parseSegments(fromRoot, isName);
  if (segments === undefined) return undefined;
  const [segment] = segments;
  if (isName && segment !== undefined) return { wantsFolder, kind: "wild-name", segment };
  return { wantsFolder, kind: "wild-path", segments };
}

const isWildcard = (body: string): boolean => /[*?[\\]/.test(body);
