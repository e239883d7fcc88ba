import type { RE2Set } from "re2js";
import { lazy } from "../lazy.ts";

/** Bounds what one piece of work spends on matching: users write both the patterns and the texts. */
export interface MatchBudget {
  /** Lets others run when it is their turn; throws when the budget is spent. */
  rest(): Promise<void> | undefined;
  /** Runs `match` and counts what it takes. */
  spend<T>(match: () => T): T;
}

/** Patterns that one machine matches, and where the first of them stands among all. */
interface Group {
  readonly first: number;
  readonly sources: string[];
  machine?: RE2Set;
}

/**
 * Characters of expressions in a machine. It takes up to about 20 ns for each and each character of a text, so that
 * nobody else waits longer than some milliseconds for a text of usual length; mostly it takes as long as one pattern.
 */
const longestGroup = 2_048;
/** Bytes in which a machine remembers its states. */
const rememberedBytes = 2 ** 17;
const loadEngine = lazy(() => import("re2js"));

/**
 * Expressions of RE2's language, held against whole texts, or with `isWhole: false` against any part of them. Matching
 * takes time in proportion to expressions times text, whatever users write. The engine is loaded and the expressions are
 * compiled when they are first matched.
 */
export class Patterns {
  readonly #isWhole: boolean;
  readonly #groups: Group[] = [];

  constructor(sources: readonly string[], { isWhole = true } = {}) {
    this.#isWhole = isWhole;
    let length = Number.POSITIVE_INFINITY;
    for (const [first, source] of sources.entries()) {
      length += source.length;
      const group = this.#groups.at(-1);
      if (group !== undefined && length <= longestGroup) group.sources.push(source);
      else {
        this.#groups.push({ first, sources: [source] });
        length = source.length;
      }
    }
  }

  /** The places of the patterns that match a text, in ascending order. Throws what the budget throws. */
  async matching(text: string, budget: MatchBudget): Promise<number[]> {
    if (this.#groups.length === 0) return [];
    const engine = await loadEngine();
    const found: number[] = [];
    for (const group of this.#groups) {
      const pause = budget.rest();
      if (pause !== undefined) await pause;
      budget.spend(() => {
        group.machine ??= this.#compile(engine, group.sources);
        for (const at of group.machine.match(text)) found.push(group.first + at);
      });
    }
    return found;
  }

  /** Whether any of the patterns matches. */
  async matches(text: string, budget: MatchBudget): Promise<boolean> {
    return (await this.matching(text, budget)).length > 0;
  }

  #compile({ RE2Set }: typeof import("re2js"), sources: readonly string[]): RE2Set {
    const anchor = this.#isWhole ? RE2Set.ANCHOR_BOTH : RE2Set.UNANCHORED;
    const machine = new RE2Set(anchor, 0, rememberedBytes);
    for (const source of sources) machine.add(source);
    machine.compile();
    return machine;
  }
}

const mostInstructions = 5_000;

/** What is wrong with an expression that a user wrote in RE2's language; undefined when nothing is. */
export async function expressionProblem(source: string): Promise<string | undefined> {
  const { RE2JS, RE2JSSyntaxException } = await loadEngine();
  try {
    const size = RE2JS.compile(source).programSize();
    return size > mostInstructions ? `takes ${size} steps, more than ${mostInstructions}` : undefined;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
}
