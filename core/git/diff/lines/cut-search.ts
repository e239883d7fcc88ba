import { roughRoot } from "./kept-lines.ts";

/* The shortcuts that keep git's time bounded. The answers must equal git's, so the thresholds are git's. */
const leastCostBound = 256;
const longSnake = 20;
const costOfHeuristic = 256;
const interesting = 4;
const never = 2 ** 30;

/** A part of the edit graph; `isExact` forbids shortcuts. */
export interface Box {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
  isExact: boolean;
}

/** Where to cut a box in two, and which halves must not use shortcuts. */
export interface Cut {
  readonly old: number;
  readonly new: number;
  readonly isHeadExact: boolean;
  readonly isTailExact: boolean;
}

/** The diagonals that a search has reached from one end of a box. */
interface Frontier {
  readonly middle: number;
  low: number;
  high: number;
}

/** Finds the point where the shortest edits from both ends of a box meet, or a good one when that is far. */
export class CutSearch {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  /** Furthest line of the old text by diagonal (old minus new), from the head and from the tail. */
  readonly #heads: Int32Array;
  readonly #tails: Int32Array;
  readonly #offset: number;
  readonly #mostCost: number;
  #box: Box = { oldFrom: 0, oldTo: 0, newFrom: 0, newTo: 0, isExact: false };
  #forward: Frontier = { middle: 0, low: 0, high: 0 };
  #backward: Frontier = { middle: 0, low: 0, high: 0 };
  #hasSnake = false;
  /** Diagonals and lines looked at, in all. */
  steps = 0;

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a;
    this.#b = b;
    const diagonals = a.length + b.length + 3;
    this.#heads = new Int32Array(diagonals + 2);
    this.#tails = new Int32Array(diagonals + 2);
    this.#offset = b.length + 2;
    this.#mostCost = Math.max(roughRoot(diagonals), leastCostBound);
  }

  find(box: Box): Cut {
    this.#box = box;
    const start = box.oldFrom - box.newFrom;
    const end = box.oldTo - box.newTo;
    this.#forward = { middle: start, low: start, high: start };
    this.#backward = { middle: end, low: end, high: end };
    this.#heads[start + this.#offset] = box.oldFrom;
    this.#tails[end + this.#offset] = box.oldTo;
    const isOdd = ((start - end) & 1) !== 0;
    for (let cost = 1; ; cost++) {
      this.#hasSnake = false;
      const met = this.#goForward(isOdd) ?? this.#goBackward(!isOdd);
      if (met !== undefined) return met;
      if (box.isExact) continue;
      const good = this.#hasSnake && cost > costOfHeuristic ? this.#goodCut(cost) : undefined;
      if (good !== undefined) return good;
      if (cost >= this.#mostCost) return this.#furthestCut();
    }
  }

  #widen(frontier: Frontier, values: Int32Array, outside: number): void {
    const { oldFrom, oldTo, newFrom, newTo } = this.#box;
    if (frontier.low > oldFrom - newTo) {
      frontier.low -= 1;
      values[frontier.low - 1 + this.#offset] = outside;
    } else frontier.low += 1;
    if (frontier.high < oldTo - newFrom) {
      frontier.high += 1;
      values[frontier.high + 1 + this.#offset] = outside;
    } else frontier.high -= 1;
  }

  #goForward(mayMeet: boolean): Cut | undefined {
    const heads = this.#heads;
    const offset = this.#offset;
    const [a, b, forward, backward] = [this.#a, this.#b, this.#forward, this.#backward];
    const { oldTo, newTo } = this.#box;
    this.#widen(forward, heads, -1);
    for (let diagonal = forward.high; diagonal >= forward.low; diagonal -= 2) {
      const below = heads[diagonal - 1 + offset] as number;
      const above = heads[diagonal + 1 + offset] as number;
      const from = below >= above ? below + 1 : above;
      let old = from;
      let fresh = old - diagonal;
      while (old < oldTo && fresh < newTo && a[old] === b[fresh]) {
        old += 1;
        fresh += 1;
      }
      if (old - from > longSnake) this.#hasSnake = true;
      heads[diagonal + offset] = old;
      this.steps += old - from + 1;
      const isMet =
        mayMeet &&
        diagonal >= backward.low &&
        diagonal <= backward.high &&
        (this.#tails[diagonal + offset] as number) <= old;
      if (isMet) return { old, new: fresh, isHeadExact: true, isTailExact: true };
    }
    return undefined;
  }

  #goBackward(mayMeet: boolean): Cut | undefined {
    const tails = this.#tails;
    const offset = this.#offset;
    const [a, b, forward, backward] = [this.#a, this.#b, this.#forward, this.#backward];
    const { oldFrom, newFrom } = this.#box;
    this.#widen(backward, tails, never);
    for (let diagonal = backward.high; diagonal >= backward.low; diagonal -= 2) {
      const below = tails[diagonal - 1 + offset] as number;
      const above = tails[diagonal + 1 + offset] as number;
      const from = below < above ? below : above - 1;
      let old = from;
      let fresh = old - diagonal;
      while (old > oldFrom && fresh > newFrom && a[old - 1] === b[fresh - 1]) {
        old -= 1;
        fresh -= 1;
      }
      if (from - old > longSnake) this.#hasSnake = true;
      tails[diagonal + offset] = old;
      this.steps += from - old + 1;
      const isMet =
        mayMeet &&
        diagonal >= forward.low &&
        diagonal <= forward.high &&
        old <= (this.#heads[diagonal + offset] as number);
      if (isMet) return { old, new: fresh, isHeadExact: true, isTailExact: true };
    }
    return undefined;
  }

  /** A point far along, near the middle diagonal, at a long run of common lines; from the head first. */
  #goodCut(cost: number): Cut | undefined {
    const head = this.#bestPoint(cost, this.#forward, this.#heads, true);
    if (head !== undefined) return { ...head, isHeadExact: true, isTailExact: false };
    const tail = this.#bestPoint(cost, this.#backward, this.#tails, false);
    return tail && { ...tail, isHeadExact: false, isTailExact: true };
  }

  #bestPoint(cost: number, { low, high, middle }: Frontier, values: Int32Array, isForward: boolean) {
    const { oldFrom, oldTo, newFrom, newTo } = this.#box;
    let best = 0;
    let point: { old: number; new: number } | undefined;
    for (let diagonal = high; diagonal >= low; diagonal -= 2) {
      const old = values[diagonal + this.#offset] as number;
      const fresh = old - diagonal;
      const gone = isForward ? old - oldFrom + fresh - newFrom : oldTo - old + newTo - fresh;
      const value = gone - Math.abs(diagonal - middle);
      if (value <= interesting * cost || value <= best) continue;
      const isInside = isForward
        ? oldFrom + longSnake <= old && old < oldTo && newFrom + longSnake <= fresh && fresh < newTo
        : oldFrom < old && old <= oldTo - longSnake && newFrom < fresh && fresh <= newTo - longSnake;
      if (
        !isInside ||
        !this.#hasRun(isForward ? old - longSnake : old, isForward ? fresh - longSnake : fresh)
      )
        continue;
      best = value;
      point = { old, new: fresh };
    }
    return point;
  }

  #hasRun(old: number, fresh: number): boolean {
    for (let at = 0; at < longSnake; at++) if (this.#a[old + at] !== this.#b[fresh + at]) return false;
    return true;
  }

  /** Enough time spent: the furthest point that either end has come to. */
  #furthestCut(): Cut {
    const { oldFrom, oldTo, newFrom, newTo } = this.#box;
    let head = { sum: -1, old: -1 };
    for (let diagonal = this.#forward.high; diagonal >= this.#forward.low; diagonal -= 2) {
      let old = Math.min(this.#heads[diagonal + this.#offset] as number, oldTo);
      if (newTo < old - diagonal) old = newTo + diagonal;
      const sum = old + old - diagonal;
      if (head.sum < sum) head = { sum, old };
    }
    let tail = { sum: never, old: never };
    for (let diagonal = this.#backward.high; diagonal >= this.#backward.low; diagonal -= 2) {
      let old = Math.max(oldFrom, this.#tails[diagonal + this.#offset] as number);
      if (old - diagonal < newFrom) old = newFrom + diagonal;
      const sum = old + old - diagonal;
      if (sum < tail.sum) tail = { sum, old };
    }
    const isHead = oldTo + newTo - tail.sum < head.sum - (oldFrom + newFrom);
    const { old, sum } = isHead ? head : tail;
    return { old, new: sum - old, isHeadExact: isHead, isTailExact: !isHead };
  }
}
