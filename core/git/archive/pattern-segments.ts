/** The matcher of one byte: the byte itself, any byte (-1), or those of a bracket expression (1 at their places). */
type Token = number | Uint8Array;

const anyByte = -1;
const star = -2;
const anyFolders: unique symbol = Symbol("any folders");

/** A matcher of one name of a path: a text, bytes with wildcards, or (`**`) any run of names. */
export type Segment = string | readonly Token[] | typeof anyFolders;

/** Counts the cost of matching: about one byte compared with another each. */
export interface Steps {
  count: number;
}

/** The names of a pattern; undefined when it can match nothing. `**` is special only in a pattern of a path. */
export function parseSegments(pattern: string, isName: boolean): Segment[] | undefined {
  const segments: Segment[] = [];
  let tokens: Token[] = [];
  let [at, start] = [0, 0];
  const close = () => {
    segments.push(!isName && /^\*{2,}$/.test(pattern.slice(start, at)) ? anyFolders : plainOrTokens(tokens));
    tokens = [];
  };
  while (at < pattern.length) {
    const length = pattern[at] === "\\" && pattern[at + 1] === "/" ? 2 : 1;
    if (pattern[at + length - 1] === "/") {
      close();
      at += length;
      start = at;
      continue;
    }
    const next = parseToken(pattern, at);
    if (next === undefined) return undefined;
    if (next.token !== star || tokens.at(-1) !== star) tokens.push(next.token);
    at = next.end;
  }
  close();
  return segments;
}

const plainOrTokens = (tokens: readonly Token[]): Segment =>
  tokens.every((token) => typeof token === "number" && token >= 0)
    ? String.fromCharCode(...(tokens as number[]))
    : tokens;

function parseToken(pattern: string, at: number): { token: Token; end: number } | undefined {
  const byte = pattern[at];
  if (byte === "*") return { token: star, end: at + 1 };
  if (byte === "?") return { token: anyByte, end: at + 1 };
  if (byte === "[") return parseClass(pattern, at + 1);
  const length = byte === "\\" ? 2 : 1;
  if (at + length > pattern.length) return undefined;
  return { token: pattern.charCodeAt(at + length - 1), end: at + length };
}

const namedClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class of them
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** A bracket expression from behind its `[`; undefined when it has no end or names an unknown class. */
function parseClass(pattern: string, start: number): { token: Uint8Array; end: number } | undefined {
  const isNegated = pattern[start] === "!" || pattern[start] === "^";
  const tests: ((byte: string) => boolean)[] = [];
  let at = isNegated ? start + 1 : start;
  for (let isFirst = true; isFirst || pattern[at] !== "]"; isFirst = false) {
    const named = /^\[:([^\]]*):\]/.exec(pattern.slice(at, at + 16));
    if (named !== null) {
      const expression = namedClasses[named[1] as string];
      if (expression === undefined) return undefined;
      tests.push((one) => expression.test(one));
      at += named[0].length;
      continue;
    }
    const from = classByte(pattern, at);
    const to =
      pattern[from.end] === "-" && pattern[from.end + 1] !== "]" ? classByte(pattern, from.end + 1) : from;
    const [low, high] = [from.byte, to.byte];
    if (low === undefined || high === undefined) return undefined;
    tests.push((one) => one >= low && one <= high);
    at = to.end;
  }
  const isIn = (byte: string) => tests.some((test) => test(byte)) !== isNegated;
  return { token: Uint8Array.from(bytes, (byte) => (isIn(byte) ? 1 : 0)), end: at + 1 };
}

const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

const classByte = (pattern: string, at: number): { byte: string | undefined; end: number } =>
  pattern[at] === "\\" ? { byte: pattern[at + 1], end: at + 2 } : { byte: pattern[at], end: at + 1 };

/** Whether a name matches, in at most pattern length times name length steps. */
export function matchesName(segment: Segment, name: string, steps: Steps): boolean {
  steps.count += 1;
  if (segment === anyFolders) return true;
  if (typeof segment === "string") return segment === name;
  let [token, at, lastStar, heldAt] = [0, 0, -1, 0];
  let count = 0;
  while (at < name.length) {
    count += 1;
    const wanted = segment[token];
    if (wanted === star) {
      lastStar = token++;
      heldAt = at;
    } else if (wanted !== undefined && takes(wanted, name.charCodeAt(at))) {
      token += 1;
      at += 1;
    } else if (lastStar >= 0) {
      token = lastStar + 1;
      at = ++heldAt;
    } else break;
  }
  steps.count += count;
  if (at < name.length) return false;
  while (segment[token] === star) token += 1;
  return token === segment.length;
}

const takes = (token: Token, code: number): boolean =>
  typeof token === "number" ? token === code || token === anyByte : token[code] === 1;

/** The positions in a pattern after some folders: indexes of segments that may match the next name. */
export type Reached = readonly number[];

/** Before the first name. */
export const reachedAtStart = (segments: readonly Segment[]): Reached => [...withNext(segments, 0)];

/** An index and, as `**` may stand for no folder, those behind it; the last `**` stands for at least one name. */
function* withNext(segments: readonly Segment[], from: number): Generator<number> {
  for (let at = from; at < segments.length; at += 1) {
    yield at;
    if (segments[at] !== anyFolders) return;
  }
}

/** The positions below a folder of this name; empty when nothing in it can match. */
export function reachedBelow(
  segments: readonly Segment[],
  reached: Reached,
  folder: string,
  steps: Steps,
): Reached {
  const below = new Set<number>();
  for (const at of reached) {
    const segment = segments[at] as Segment;
    const isLast = at === segments.length - 1;
    if (segment === anyFolders) for (const next of withNext(segments, at)) below.add(next);
    else if (!isLast && matchesName(segment, folder, steps)) {
      for (const next of withNext(segments, at + 1)) below.add(next);
    }
  }
  return [...below];
}

/** Whether the last name of a path matches, after its folders. */
export function matchesLast(
  segments: readonly Segment[],
  reached: Reached,
  name: string,
  steps: Steps,
): boolean {
  const last = segments.length - 1;
  return reached.includes(last) && matchesName(segments[last] as Segment, name, steps);
}
