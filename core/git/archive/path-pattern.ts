/**
 * A pattern of a .gitattributes file. `name` is compared with the last name of a path, at any depth, `suffix` with the
 * end of that name, `path` with the path from the file's folder on. Wild ones hold wildcards.
 */
export interface PathPattern {
  readonly kind: "name" | "path" | "suffix" | "wild-name" | "wild-path";
  readonly text: string;
  readonly wantsFolder: boolean;
}

/** Longer patterns with wildcards match nothing: they would take too long. */
const longestWildcard = 256;

/**
 * Reads a pattern as gitattributes(5) defines it: without a slash it is compared with the last name of a path, else with
 * the whole path; a slash at its end asks for a folder. Undefined when it can match nothing.
 */
export function readPattern(text: string): PathPattern | undefined {
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
  return { wantsFolder, kind: isName ? "wild-name" : "wild-path", text: fromRoot };
}

const isWildcard = (body: string): boolean => /[*?[\\]/.test(body);
