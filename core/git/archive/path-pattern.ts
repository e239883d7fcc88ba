/** A pattern of a .gitattributes file. */
export interface PathPattern {
  /** `path` as raw bytes (latin1), relative to the file's folder, without a slash at its end. */
  matches(path: string, isFolder: boolean): boolean;
}

/** One step of a pattern: a byte of a kind, any run of such bytes, or a choice to leave out the next steps. */
type Step =
  | { readonly kind: "one"; readonly takes: (byte: string) => boolean }
  | { readonly kind: "run"; readonly crossesFolders: boolean }
  | { readonly kind: "optional"; readonly count: number };

/** Longer patterns with wildcards match nothing: they would hold up others for too long. */
const longestWildcard = 256;

/**
 * Compiles a pattern as gitattributes(5) has it: without a slash it is held against the last name of a path, else
 * against the whole; a slash at its end asks for a folder. Takes time in proportion to pattern times path, whatever
 * the pattern says: users write them. Undefined for one that can match nothing.
 */
export function compilePattern(text: string): PathPattern | undefined {
  const wantsFolder = text.endsWith("/");
  const body = wantsFolder ? text.slice(0, -1) : text;
  if (body === "" || (isWildcard(body) && body.length > longestWildcard)) return undefined;
  const isName = !body.includes("/");
  const fromRoot = body.startsWith("/") ? body.slice(1) : body;
  // Most patterns are plain names, of which a file may hold very many.
  const steps = isWildcard(body) ? stepsOf(fromRoot, isName) : fromRoot;
  if (steps === undefined) return undefined;
  return {
    matches(path, isFolder) {
      if (wantsFolder && !isFolder) return false;
      const held = isName ? path.slice(path.lastIndexOf("/") + 1) : path;
      return typeof steps === "string" ? held === steps : runSteps(steps, held);
    },
  };
}

const isWildcard = (body: string): boolean => /[*?[\\]/.test(body);

const anyByte: Step = { kind: "one", takes: (one) => one !== "/" };
/** One step for each byte, which all patterns share. */
const literalSteps = Array.from({ length: 256 }, (_, code): Step => {
  const byte = String.fromCharCode(code);
  return { kind: "one", takes: (one) => one === byte };
});

function stepsOf(pattern: string, isName: boolean): Step[] | undefined {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; ) {
    const byte = pattern[at] as string;
    if (byte === "*") {
      at = addStars(steps, pattern, at, isName);
    } else if (byte === "?") {
      steps.push(anyByte);
      at += 1;
    } else if (byte === "[") {
      const parsed = parseClass(pattern, at + 1);
      if (parsed === undefined) return undefined;
      steps.push({ kind: "one", takes: parsed.takes });
      at = parsed.end;
    } else {
      const literal = byte === "\\" ? pattern[at + 1] : byte;
      if (literal === undefined) return undefined;
      steps.push(literalSteps[literal.charCodeAt(0)] as Step);
      at += byte === "\\" ? 2 : 1;
    }
  }
  return steps;
}

/** `**` between slashes crosses folders, and takes no folder at all too; any other run of stars stays in one name. */
function addStars(steps: Step[], pattern: string, start: number, isName: boolean): number {
  let end = start;
  while (pattern[end] === "*") end += 1;
  const isAlone =
    (start === 0 || pattern[start - 1] === "/") && (end === pattern.length || pattern[end] === "/");
  if (isName || end - start < 2 || !isAlone) {
    steps.push({ kind: "run", crossesFolders: false });
    return end;
  }
  if (end === pattern.length) {
    steps.push({ kind: "run", crossesFolders: true });
    return end;
  }
  steps.push({ kind: "optional", count: 2 }, { kind: "run", crossesFolders: true });
  steps.push(literalSteps[0x2f] as Step);
  return end + 1;
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

/** A bracket expression from behind its `[`; undefined where it has no end or names an unknown class. */
function parseClass(
  pattern: string,
  start: number,
): { takes: (byte: string) => boolean; end: number } | undefined {
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
  return { takes: (one) => one !== "/" && tests.some((test) => test(one)) !== isNegated, end: at + 1 };
}

const classByte = (pattern: string, at: number): { byte: string | undefined; end: number } =>
  pattern[at] === "\\" ? { byte: pattern[at + 1], end: at + 2 } : { byte: pattern[at], end: at + 1 };

/** Follows all ways through the steps at once. */
function runSteps(steps: readonly Step[], text: string): boolean {
  const seenAt = new Uint32Array(steps.length + 1);
  let turn = 1;
  const reach = (start: number, into: number[]): void => {
    for (let index = start; seenAt[index] !== turn; index += 1) {
      seenAt[index] = turn;
      into.push(index);
      const step = steps[index];
      if (step === undefined || step.kind === "one") return;
      if (step.kind === "optional") reach(index + 1 + step.count, into);
    }
  };
  let reached: number[] = [];
  reach(0, reached);
  for (const byte of text) {
    const next: number[] = [];
    turn += 1;
    for (const index of reached) {
      const step = steps[index];
      if (step?.kind === "one" && step.takes(byte)) reach(index + 1, next);
      else if (step?.kind === "run" && (step.crossesFolders || byte !== "/")) reach(index, next);
    }
    if (next.length === 0) return false;
    reached = next;
  }
  return reached.includes(steps.length);
}
