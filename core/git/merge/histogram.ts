import type { MarkedLines } from "../diff/lines/line-diff.ts";
import { markMyers } from "../diff/lines/myers.ts";

/** Lines that occur more often than this in the old text start no common range. */
const mostOccurrences = 64;

/** Longer texts are compared as in `git diff`: time here can grow with the square. */
const mostLines = 100_000;

/** A range of lines of two texts; ends are excluded. */
interface Range {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/**
 * Marks the lines that are not common to two texts, like `git merge`: around the longest common range of the rarest
 * lines, again and again. When all common lines are frequent, like `git diff`.
 */
export function markHistogram(
  old: Int32Array,
  fresh: Int32Array,
  classCount: number,
  marked: MarkedLines,
): void {
  if (old.length + fresh.length > mostLines) {
    markMyers(old, fresh, classCount, marked);
    return;
  }
  const whole = { oldFrom: 0, oldTo: old.length, newFrom: 0, newTo: fresh.length };
  const stack: Range[] = [whole];
  const heads = new Int32Array(classCount);
  const counts = new Int32Array(classCount);
  for (let range = stack.pop(); range !== undefined; range = stack.pop()) {
    if (range.oldFrom === range.oldTo || range.newFrom === range.newTo) {
      markAll(range, marked);
      continue;
    }
    const search = new StretchSearch(old, fresh, range, heads, counts);
    const found = search.run();
    if (found === "frequent") markRange(old, fresh, classCount, range, marked);
    else if (found === undefined) markAll(range, marked);
    else {
      stack.push({ ...range, oldFrom: found.oldTo, newFrom: found.newTo });
      stack.push({ ...range, oldTo: found.oldFrom, newTo: found.newFrom });
    }
  }
}

function markAll({ oldFrom, oldTo, newFrom, newTo }: Range, marked: MarkedLines): void {
  marked.old.fill(1, oldFrom, oldTo);
  marked.new.fill(1, newFrom, newTo);
}

function markRange(
  old: Int32Array,
  fresh: Int32Array,
  classCount: number,
  { oldFrom, oldTo, newFrom, newTo }: Range,
  marked: MarkedLines,
): void {
  markMyers(old.subarray(oldFrom, oldTo), fresh.subarray(newFrom, newTo), classCount, {
    old: marked.old.subarray(oldFrom, oldTo),
    new: marked.new.subarray(newFrom, newTo),
  });
}

class StretchSearch {
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  readonly #range: Range;
  /** By class: the first line of the old text, counted from 1, and the number of lines. Shared, cleared after use. */
  readonly #heads: Int32Array;
  readonly #counts: Int32Array;
  /** By old line in the range: the next of its class, counted from 1. */
  readonly #next: Int32Array;
  #best: Range | undefined;
  #bestCount = mostOccurrences + 1;
  #hasCommon = false;

  constructor(old: Int32Array, fresh: Int32Array, range: Range, heads: Int32Array, counts: Int32Array) {
    this.#old = old;
    this.#new = fresh;
    this.#range = range;
    this.#heads = heads;
    this.#counts = counts;
    this.#next = new Int32Array(range.oldTo - range.oldFrom);
  }

  /** The best range; none when nothing is common; `frequent` when only frequent lines are. */
  run(): Range | "frequent" | undefined {
    const { oldFrom, oldTo, newFrom, newTo } = this.#range;
    for (let line = oldTo - 1; line >= oldFrom; line--) {
      const kind = this.#old[line] as number;
      this.#next[line - oldFrom] = this.#heads[kind] as number;
      this.#heads[kind] = line + 1;
      this.#counts[kind] = (this.#counts[kind] as number) + 1;
    }
    for (let line = newFrom; line < newTo; ) line = this.#tryAt(line);
    const answer = this.#hasCommon && this.#bestCount > mostOccurrences ? "frequent" : this.#best;
    for (let line = oldFrom; line < oldTo; line++) {
      this.#heads[this.#old[line] as number] = 0;
      this.#counts[this.#old[line] as number] = 0;
    }
    return answer;
  }

  /** Looks at all ranges through a line of the new text; answers the next line to try. */
  #tryAt(line: number): number {
    const kind = this.#new[line] as number;
    const count = this.#counts[kind] as number;
    if (count === 0) return line + 1;
    this.#hasCommon = true;
    if (count > this.#bestCount) return line + 1;
    let next = line + 1;
    for (let at = this.#heads[kind] as number; at > 0; ) {
      const { range, rarest } = this.#grow(at - 1, line, count);
      next = Math.max(next, range.newTo);
      const length = this.#best === undefined ? 1 : this.#best.oldTo - this.#best.oldFrom;
      if (range.oldTo - range.oldFrom > length || rarest < this.#bestCount) {
        this.#best = range;
        this.#bestCount = rarest;
      }
      while (at > 0 && at <= range.oldTo) at = this.#next[at - 1 - this.#range.oldFrom] as number;
    }
    return next;
  }

  #grow(old: number, fresh: number, count: number): { range: Range; rarest: number } {
    const [a, b, range] = [this.#old, this.#new, this.#range];
    let rarest = count;
    let [oldFrom, newFrom, oldTo, newTo] = [old, fresh, old + 1, fresh + 1];
    while (oldFrom > range.oldFrom && newFrom > range.newFrom && a[oldFrom - 1] === b[newFrom - 1]) {
      oldFrom -= 1;
      newFrom -= 1;
      if (rarest > 1) rarest = Math.min(rarest, this.#counts[a[oldFrom] as number] as number);
    }
    while (oldTo < range.oldTo && newTo < range.newTo && a[oldTo] === b[newTo]) {
      if (rarest > 1) rarest = Math.min(rarest, this.#counts[a[oldTo] as number] as number);
      oldTo += 1;
      newTo += 1;
    }
    return { range: { oldFrom, oldTo, newFrom, newTo }, rarest };
  }
}
