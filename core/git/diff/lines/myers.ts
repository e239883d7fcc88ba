import { type Box, CutSearch } from "./cut-search.ts";
import { countsOf, type KeptLines, keepLines } from "./kept-lines.ts";
import type { MarkedLines } from "./line-diff.ts";

/**
 * When more lines lie between the common beginning and end of both texts, all of them count as changed: time grows
 * faster.
 */
const mostCompared = 150_000;
/** The most steps of one search, about a second: lines not compared by then count as changed. */
const mostSteps = 200_000_000;

/**
 * Marks the lines that are not common to two texts, given as line classes below `classCount`: Myers' O(ND) difference
 * from both ends, with git's shortcuts. Answers the steps that it took.
 */
export function markMyers(
  old: Int32Array,
  fresh: Int32Array,
  classCount: number,
  marked: MarkedLines,
): number {
  const head = commonHead(old, fresh);
  const tail = commonTail(old, fresh, head);
  const counts = { old: countsOf(old, classCount), new: countsOf(fresh, classCount) };
  const keptOld = keepLines(old, counts.new, head, old.length - tail, marked.old);
  const keptNew = keepLines(fresh, counts.old, head, fresh.length - tail, marked.new);
  if (keptOld.lines.length + keptNew.lines.length > mostCompared) {
    for (const line of keptOld.lines) marked.old[line] = 1;
    for (const line of keptNew.lines) marked.new[line] = 1;
    return 0;
  }
  return new Comparison(keptOld, keptNew, marked).run();
}

function commonHead(old: Int32Array, fresh: Int32Array): number {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  return head;
}

function commonTail(old: Int32Array, fresh: Int32Array, head: number): number {
  const most = Math.min(old.length, fresh.length) - head;
  let tail = 0;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  return tail;
}

class Comparison {
  readonly #old: KeptLines;
  readonly #new: KeptLines;
  readonly #marked: MarkedLines;
  readonly #search: CutSearch;

  constructor(old: KeptLines, fresh: KeptLines, marked: MarkedLines) {
    this.#old = old;
    this.#new = fresh;
    this.#marked = marked;
    this.#search = new CutSearch(old.classes, fresh.classes);
  }

  run(): number {
    const [a, b] = [this.#old.classes, this.#new.classes];
    const boxes: Box[] = [{ oldFrom: 0, oldTo: a.length, newFrom: 0, newTo: b.length, isExact: false }];
    for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
      while (box.oldFrom < box.oldTo && box.newFrom < box.newTo && a[box.oldFrom] === b[box.newFrom]) {
        box.oldFrom += 1;
        box.newFrom += 1;
      }
      while (box.oldFrom < box.oldTo && box.newFrom < box.newTo && a[box.oldTo - 1] === b[box.newTo - 1]) {
        box.oldTo -= 1;
        box.newTo -= 1;
      }
      if (box.oldFrom === box.oldTo || box.newFrom === box.newTo || this.#isOverdue) this.#mark(box);
      else boxes.push(...this.#halves(box));
    }
    return this.#search.steps;
  }

  get #isOverdue(): boolean {
    return this.#search.steps > mostSteps;
  }

  #mark(box: Box): void {
    for (let at = box.oldFrom; at < box.oldTo; at++) this.#marked.old[this.#old.lines[at] as number] = 1;
    for (let at = box.newFrom; at < box.newTo; at++) this.#marked.new[this.#new.lines[at] as number] = 1;
  }

  #halves(box: Box): [Box, Box] {
    const cut = this.#search.find(box);
    return [
      { ...box, oldTo: cut.old, newTo: cut.new, isExact: cut.isHeadExact },
      { ...box, oldFrom: cut.old, newFrom: cut.new, isExact: cut.isTailExact },
    ];
  }
}
