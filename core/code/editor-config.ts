import { Pacer } from "../concurrency/pacer.ts";
import { defined } from "../defined.ts";
import { notFound } from "../errors.ts";
import { fileMode } from "../git/format/tree.ts";
import { parseGlob } from "../pattern/glob.ts";
import { MatchTime } from "../pattern/match-time.ts";
import { Patterns } from "../pattern/patterns.ts";
import { findContentsAt } from "./contents.ts";
import { cleanPath } from "./internal/path.ts";
import { type Code, getCommit } from "./open.ts";

/** What an `.editorconfig` says of a file, by property name; absent properties are not set. */
export interface EditorSettings {
  readonly indent_style?: string;
  readonly indent_size?: string;
  readonly tab_width?: number;
  readonly end_of_line?: string;
  readonly charset?: string;
  readonly trim_trailing_whitespace?: boolean;
  readonly insert_final_newline?: boolean;
}

/**
 * Users write both patterns and paths. Matching takes up to pattern length times path length in steps; reading a
 * pattern takes its length with the numbers written out.
 */
const most = { fileBytes: 128 * 1024, steps: 8_000_000, patternCharacters: 40_000 };

/**
 * What the `.editorconfig` at the root of a commit says of a file, which need not exist. NotFound when the
 * `.editorconfig` is missing or too large, and when none of its sections matches.
 */
export async function readEditorSettings(
  code: Code,
  path: string,
  ref: string | undefined,
): Promise<EditorSettings> {
  const commit = await getCommit(code, ref);
  const found = await findContentsAt(code, commit.id, ".editorconfig");
  const isFile = found?.mode === fileMode && code.history.sizeOf(found.id) <= most.fileBytes;
  if (!isFile) throw notFound("object does not exist [id: , rel_path: .editorconfig]");
  const { data } = await code.history.object(found.id);
  const settings = await settingsFor(data.toString("utf8"), cleanPath(path));
  if (settings === undefined) throw notFound(`.editorconfig has no section for this file [path: ${path}]`);
  return settings;
}

/**
 * What a text in the form of editorconfig.org says of a path; undefined when no section matches. A section that would
 * take too long to match counts as not matching.
 */
export async function settingsFor(text: string, path: string): Promise<EditorSettings | undefined> {
  const sections = await sectionsOf(text, path);
  const patterns = new Patterns(sections.map(({ source }) => source));
  const found = await patterns.matching(path, new MatchTime());
  const properties = new Map<string, string>();
  for (const at of found) for (const line of sections[at]?.lines ?? []) readProperty(properties, line);
  return found.length > 0 ? resolved(properties) : undefined;
}

/** A section's lines, and its pattern as an expression. */
interface Section {
  readonly source: string;
  readonly lines: string[];
}

/** The sections that are not too long to be matched. */
async function sectionsOf(text: string, path: string): Promise<Section[]> {
  const pacer = new Pacer();
  const sections: Section[] = [];
  let [steps, characters] = [0, 0];
  let lines: string[] = [];
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const [, pattern] = /^\s*\[(.+)\]\s*$/.exec(line) ?? [];
    if (pattern === undefined) {
      lines.push(line);
      continue;
    }
    lines = [];
    const length = writtenOut(pattern);
    steps += length * path.length;
    characters += length;
    const source =
      steps <= most.steps && characters <= most.patternCharacters ? sourceOf(pattern) : undefined;
    if (source !== undefined) sections.push({ source, lines });
    if (pacer.isDue(length)) await pacer.pause();
  }
  return sections;
}

function readProperty(properties: Map<string, string>, line: string): void {
  const equals = line.indexOf("=");
  const key = line.slice(0, Math.max(0, equals)).trim();
  if (key === "" || key.startsWith("#") || key.startsWith(";")) return;
  properties.set(
    key.toLowerCase(),
    line
      .slice(equals + 1)
      .trim()
      .toLowerCase(),
  );
}

/** A pattern without a slash is for names in any folder. */
function sourceOf(pattern: string): string | undefined {
  const glob = parseGlob(globOf(pattern.replace(/^\//, "")), "/");
  if ("problem" in glob) return undefined;
  return pattern.includes("/") ? glob.source : `(?:[^/]*/)*(?:${glob.source})`;
}

const mostNumbers = 200;
const range = /\{(-?\d{1,9})\.\.(-?\d{1,9})\}/g;

/** At most how long a pattern becomes with its numbers written out. */
const writtenOut = (pattern: string): number =>
  [...pattern.matchAll(range)].reduce((sum, [ends, one, other]) => {
    const count = Math.abs(Number(one) - Number(other)) + 1;
    return count > mostNumbers ? sum : sum + count * ends.length;
  }, pattern.length);

/** Number ranges become alternatives; braces around a single alternative stand for themselves. */
const globOf = (pattern: string): string =>
  pattern
    .replace(/\{([^{},]*)\}/g, (whole, inner: string) =>
      /^-?\d+\.\.-?\d+$/.test(inner) ? whole : `\\{${inner}\\}`,
    )
    .replace(range, (whole, ...ends: string[]) => {
      const [one = 0, other = 0] = ends.slice(0, 2).map(Number);
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      if (last - first >= mostNumbers) return whole;
      return `{${Array.from({ length: last - first + 1 }, (_, at) => first + at).join(",")}}`;
    });

/** Applies the rules by which some properties follow from others. */
function resolved(properties: ReadonlyMap<string, string>): EditorSettings {
  const value = (key: string) => (properties.get(key) === "unset" ? undefined : properties.get(key));
  const style = value("indent_style");
  const size = value("indent_size") ?? (style === "tab" ? "tab" : undefined);
  const width = number(value("tab_width")) ?? number(size);
  const [charset, ending] = [value("charset"), value("end_of_line")];
  const [isTrimmed, isEnded] = [flag(value("trim_trailing_whitespace")), flag(value("insert_final_newline"))];
  const indent = size === "tab" && width !== undefined ? String(width) : size;
  return {
    ...defined({
      charset,
      indent_style: style,
      indent_size: indent,
      tab_width: width,
      end_of_line: ending,
      trim_trailing_whitespace: isTrimmed,
      insert_final_newline: isEnded,
    }),
  };
}

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
const flag = (text: string | undefined): boolean | undefined =>
  text === "true" || text === "false" ? text === "true" : undefined;
