import { literal, oneOf, type Range } from "./internal/expression.ts";

const anyName = "[^/]+";
const inName = "[^/]";
const star = "[^/]*";
/** One of POSIX's classes, or one character or range, behind the `[` of a class. */
const classItem = /\[:([^\]]*):\]|\\?(.)(?:-(?!\])\\?(.))?/gsuy;

/**
 * Reads a pattern of a path as git's wildmatch does, name by name: `*`, `?` and classes stay within a name, `**` stands
 * for any run of names, at the end for at least one. Answers an expression of RE2's language; undefined when the pattern
 * can match nothing. With `isName` it is held against the last name of the path alone.
 */
export function wildmatch(pattern: string, { isName = false } = {}): string | undefined {
  const names: string[] = [];
  let parts: string[] = [];
  let [at, start] = [0, 0];
  while (at <= pattern.length) {
    const slash = /^\\?\//.exec(pattern.slice(at, at + 2))?.[0];
    if (slash !== undefined || at === pattern.length) {
      const isAnyRun = !isName && /^\*{2,}$/.test(pattern.slice(start, at));
      names.push(isAnyRun ? "**" : parts.join(""));
      parts = [];
      at += slash?.length ?? 1;
      start = at;
      continue;
    }
    const next = partAt(pattern, at);
    if (next === undefined) return undefined;
    if (next.part !== star || parts.at(-1) !== star) parts.push(next.part);
    at = next.end;
  }
  const path = names.map((name, place) => pathPart(name, place === names.length - 1)).join("");
  return isName ? `(?:${anyName}/)*${path}` : path;
}

function pathPart(name: string, isLast: boolean): string {
  if (name === "**") return isLast ? `${anyName}(?:/${anyName})*` : `(?:${anyName}/)*`;
  return isLast ? name : `${name}/`;
}

function partAt(pattern: string, at: number): { part: string; end: number } | undefined {
  const [character = ""] = pattern.slice(at, at + 2);
  if (character === "*") return { part: star, end: at + 1 };
  if (character === "?") return { part: inName, end: at + character.length };
  if (character === "[") return classAt(pattern, at + 1);
  if (character !== "\\") return { part: literal(character), end: at + character.length };
  const [escaped] = pattern.slice(at + 1, at + 3);
  return escaped === undefined ? undefined : { part: literal(escaped), end: at + 1 + escaped.length };
}

const namedClasses: Readonly<Record<string, readonly Range[]>> = {
  alnum: [
    ["0", "9"],
    ["A", "Z"],
    ["a", "z"],
  ],
  alpha: [
    ["A", "Z"],
    ["a", "z"],
  ],
  blank: [
    [" ", " "],
    ["\t", "\t"],
  ],
  cntrl: [
    ["\x00", "\x1f"],
    ["\x7f", "\x7f"],
  ],
  digit: [["0", "9"]],
  graph: [["!", "~"]],
  lower: [["a", "z"]],
  print: [[" ", "~"]],
  punct: [
    ["!", "/"],
    [":", "@"],
    ["[", "`"],
    ["{", "~"],
  ],
  space: [
    [" ", " "],
    ["\t", "\r"],
  ],
  upper: [["A", "Z"]],
  xdigit: [
    ["0", "9"],
    ["A", "F"],
    ["a", "f"],
  ],
};

/** A class from behind its `[` on; undefined when it has no end or names an unknown one. */
function classAt(pattern: string, start: number): { part: string; end: number } | undefined {
  const isNegated = pattern[start] === "!" || pattern[start] === "^";
  const ranges: Range[] = [];
  let at = isNegated ? start + 1 : start;
  for (let isFirst = true; isFirst || pattern[at] !== "]"; isFirst = false) {
    classItem.lastIndex = at;
    const [, name, first, last = first] = classItem.exec(pattern) ?? [];
    if (name !== undefined && namedClasses[name] === undefined) return undefined;
    if (name === undefined && first === undefined) return undefined;
    ranges.push(...(namedClasses[name ?? ""] ?? [[first as string, last as string] as const]));
    at = classItem.lastIndex;
  }
  return { part: oneOf(ranges, { isNegated, never: "/" }), end: at + 1 };
}
