/**
 * Globs over names: `*` and `**` match any characters (slashes too), `?` one character, `[a-z]` and `[!a-z]` one of a
 * class, `{a,b}` alternatives, `\` takes the next character literally. Matching takes time in proportion to pattern
 * times text, whatever the pattern: users write them.
 */
export interface Glob {
  matches(text: string): boolean;
}

type Step =
  | { readonly takes: (character: string) => boolean; readonly next: number }
  | { readonly skips: readonly number[] }
  | { readonly accepts: true };

const longestPattern = 1_000;
const deepestNesting = 20;

/**
 * Compiles a pattern, or says what is wrong with it. With `separators`, `*` and `?` stop at these characters, and only
 * `**` goes past them.
 */
export function parseGlob(pattern: string, separators = ""): Glob | { readonly problem: string } {
  if (pattern.length > longestPattern) return { problem: `longer than ${longestPattern} characters` };
  const compiler = new GlobCompiler([...pattern], separators);
  const start = compiler.compile();
  if (compiler.problem !== undefined) return { problem: compiler.problem };
  return { matches: (text) => isMatch(compiler.steps, start, text) };
}

/** Compiles from the end of the pattern to its start, so that each step knows the one behind it. */
class GlobCompiler {
  readonly steps: Step[] = [{ accepts: true }];
  problem: string | undefined;
  readonly #characters: readonly string[];
  readonly #separators: string;
  #at = 0;

  constructor(characters: readonly string[], separators: string) {
    this.#characters = characters;
    this.#separators = separators;
  }

  compile(): number {
    const parts = this.#sequence(0);
    return this.#chain(parts, 0);
  }

  #add(step: Step): number {
    return this.steps.push(step) - 1;
  }

  #chain(parts: readonly Part[], next: number): number {
    return parts.reduceRight((behind, part) => this.#link(part, behind), next);
  }

  #link(part: Part, next: number): number {
    if ("alternatives" in part) {
      return this.#add({ skips: part.alternatives.map((one) => this.#chain(one, next)) });
    }
    if (!part.repeats) return this.#add({ takes: part.takes, next });
    const loop = this.steps.length;
    this.#add({ skips: [loop + 1, next] });
    this.#add({ takes: part.takes, next: loop });
    return loop;
  }

  #sequence(depth: number): Part[] {
    const parts: Part[] = [];
    while (this.#at < this.#characters.length && this.problem === undefined) {
      const character = this.#characters[this.#at] as string;
      if (depth > 0 && (character === "," || character === "}")) break;
      this.#at += 1;
      parts.push(this.#part(character, depth));
    }
    return parts;
  }

  #part(character: string, depth: number): Part {
    if (character === "*") return { takes: this.#star(), repeats: true };
    if (character === "?") return { takes: (one) => !this.#separators.includes(one), repeats: false };
    if (character === "[") return this.#class();
    if (character === "{") return this.#alternatives(depth + 1);
    const literal = character === "\\" ? this.#characters[this.#at++] : character;
    if (literal === undefined) this.problem = "ends with a lone backslash";
    return { takes: (one) => one === literal, repeats: false };
  }

  /** Further stars behind one only say that separators match as well. */
  #star(): (character: string) => boolean {
    const start = this.#at;
    while (this.#characters[this.#at] === "*") this.#at += 1;
    const isDouble = this.#at > start || this.#separators === "";
    return isDouble ? () => true : (one) => !this.#separators.includes(one);
  }

  #alternatives(depth: number): Part {
    if (depth > deepestNesting) this.problem = `braces nested deeper than ${deepestNesting}`;
    const alternatives: Part[][] = [];
    let end: string | undefined = ",";
    while (end === "," && this.problem === undefined) {
      alternatives.push(this.#sequence(depth));
      end = this.#characters[this.#at++];
    }
    if (end !== "}") this.problem ??= "a { without its }";
    return { alternatives };
  }

  #class(): Part {
    const isNegated = this.#characters[this.#at] === "!" || this.#characters[this.#at] === "^";
    if (isNegated) this.#at += 1;
    const end = this.#characters.indexOf("]", this.#at + 1);
    if (end === -1) {
      this.problem = "a [ without its ]";
      return { takes: () => false, repeats: false };
    }
    const ranges = rangesOf(this.#characters.slice(this.#at, end));
    this.#at = end + 1;
    const isIn = (one: string) => ranges.some(([first, last]) => one >= first && one <= last);
    return { takes: (one) => isIn(one) !== isNegated, repeats: false };
  }
}

type Part =
  | { readonly takes: (character: string) => boolean; readonly repeats: boolean }
  | { readonly alternatives: readonly (readonly Part[])[] };

function rangesOf(characters: readonly string[]): [string, string][] {
  const ranges: [string, string][] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const first = characters[at] as string;
    const last = characters[at + 1] === "-" ? characters[at + 2] : undefined;
    ranges.push([first, last ?? first]);
    if (last !== undefined) at += 2;
  }
  return ranges;
}

function isMatch(steps: readonly Step[], start: number, text: string): boolean {
  const seenAt = new Uint32Array(steps.length);
  let turn = 1;
  // Only steps that take a character or accept are kept; steps that skip lead there at once.
  const reach = (index: number, into: number[]): void => {
    if (seenAt[index] === turn) return;
    seenAt[index] = turn;
    const step = steps[index] as Step;
    if ("skips" in step) for (const skipped of step.skips) reach(skipped, into);
    else into.push(index);
  };
  let reached: number[] = [];
  reach(start, reached);
  for (const character of text) {
    const next: number[] = [];
    turn += 1;
    for (const index of reached) {
      const step = steps[index] as Step;
      if ("takes" in step && step.takes(character)) reach(step.next, next);
    }
    if (next.length === 0) return false;
    reached = next;
  }
  return reached.includes(0);
}
