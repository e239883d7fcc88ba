import { type PathPattern, readPattern } from "./path-pattern.ts";

/** The value of an attribute: set, unset, a text, or as though nothing had been said. */
export type AttributeState = true | false | string | undefined;

/** One line of a .gitattributes file: its pattern and its attributes, in its order. */
export interface AttributeRule {
  readonly pattern: PathPattern;
  readonly states: readonly (readonly [name: string, state: AttributeState])[];
}

/** A file's rules, and the attributes it defines as short for others. */
export interface AttributeFile {
  readonly rules: readonly AttributeRule[];
  readonly macros: ReadonlyMap<string, AttributeRule["states"]>;
}

/** Lets others run: called at every line; a promise from it is awaited. */
type Pace = () => Promise<void> | undefined;

/** Longer lines say nothing, as in git. */
const longestLine = 2_048;
/** So much of a file is read. */
export const mostAttributeBytes = 2 ** 20;
const macroPrefix = "[attr]";

/** Reads a .gitattributes file; lines that git would warn of say nothing. Macros count at the root alone. */
export async function parseAttributes(data: Buffer, isRoot: boolean, pace: Pace): Promise<AttributeFile> {
  const rules: AttributeRule[] = [];
  const macros = new Map<string, AttributeRule["states"]>();
  const text = data.toString("latin1", 0, mostAttributeBytes).replace(/^\u00ef\u00bb\u00bf/, "");
  for (const line of text.split("\n")) {
    const pause = pace();
    if (pause !== undefined) await pause;
    const parsed = line.length > longestLine ? undefined : splitLine(line.replace(/^[ \t\r]+/, ""));
    const states = parsed && parseStates(parsed.rest);
    if (parsed === undefined || states === undefined) continue;
    if (parsed.pattern.startsWith(macroPrefix) && !parsed.isQuoted) {
      const name = macroName(parsed);
      if (isRoot && name !== undefined) macros.set(name.name, name.states);
      continue;
    }
    const pattern = parsed.pattern.startsWith("!")
      ? undefined
      : readPattern(parsed.pattern.replace(/^\\!/, "!"));
    if (pattern !== undefined && states.length > 0) rules.push({ pattern, states });
  }
  return { rules, macros };
}

interface SplitLine {
  readonly pattern: string;
  readonly rest: string;
  readonly isQuoted: boolean;
}

function splitLine(line: string): SplitLine | undefined {
  if (line === "" || line.startsWith("#")) return undefined;
  if (line.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"/s.exec(line);
    const pattern = quoted === null ? undefined : unquoted(quoted[1] as string);
    if (quoted !== null && pattern !== undefined) {
      return { pattern, rest: line.slice(quoted[0].length), isQuoted: true };
    }
  }
  const [pattern = ""] = /^[^ \t\r]*/.exec(line) ?? [];
  return { pattern, rest: line.slice(pattern.length), isQuoted: false };
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "\\": "\\", '"': '"' },
};

/** A name in C's quotes; undefined for an invalid escape. */
function unquoted(text: string): string | undefined {
  let isValid = true;
  const plain = text.replace(/\\([0-3][0-7]{2}|.)/gs, (_, code: string) => {
    const byte = code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : escapes[code];
    if (byte === undefined) isValid = false;
    return byte ?? "";
  });
  return isValid ? plain : undefined;
}

/** `[attr]name states`: the name may follow the word at once or after blanks. */
function macroName({
  pattern,
  rest,
}: SplitLine): { name: string; states: AttributeRule["states"] } | undefined {
  const joined = `${pattern.slice(macroPrefix.length)}${rest}`.trim();
  const [name = ""] = /^\S*/.exec(joined) ?? [];
  const states = isAttributeName(name) ? parseStates(joined.slice(name.length)) : undefined;
  return states === undefined ? undefined : { name, states };
}

const isAttributeName = (name: string): boolean =>
  /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(name) && !name.startsWith("builtin_");

/** Undefined for an invalid name: git then ignores the line. */
function parseStates(text: string): AttributeRule["states"] | undefined {
  const states: [string, AttributeState][] = [];
  for (const word of text.split(/[ \t\r]+/)) {
    if (word === "") continue;
    const isPrefixed = word.startsWith("-") || word.startsWith("!");
    const equals = word.indexOf("=");
    const name = word.slice(isPrefixed ? 1 : 0, equals < 0 ? undefined : equals);
    if (!isAttributeName(name)) return undefined;
    if (isPrefixed) states.push([name, word.startsWith("-") ? false : undefined]);
    else states.push([name, equals < 0 ? true : word.slice(equals + 1)]);
  }
  return states;
}
