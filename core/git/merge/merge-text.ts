import { changesOf, type LineChange } from "../diff/lines/line-diff.ts";
import { classifyLines, type Lines, splitLines } from "../diff/lines/lines.ts";
import { slideChanges } from "../diff/lines/slide-changes.ts";
import { markHistogram } from "./histogram.ts";
import { MergeWriter } from "./merge-writer.ts";

/** How conflicts in a text are marked. */
export interface MarkerOptions {
  readonly ours: string;
  readonly theirs: string;
  /** Length of the marks; absent: 7. Merges of merge bases use longer ones. */
  readonly markerSize?: number;
}

/** A merged text, and how many places in it are in conflict. */
export interface MergedText {
  readonly data: Buffer;
  readonly conflicts: number;
}

/** Conflicts with at most so many common lines between them become one. */
const mostLinesBetween = 3;

/** A range that one side or both changed; lines of both sides, from 0. `same`: both made the same change. */
export interface Range {
  side: "ours" | "theirs" | "both" | "same";
  ourStart: number;
  ourCount: number;
  theirStart: number;
  theirCount: number;
}

interface Side {
  readonly text: Lines;
  readonly classes: Int32Array;
  /** Against the base. */
  readonly changes: readonly LineChange[];
}

/** Merges the changes that two texts made to a base, as `git merge` does. */
export function mergeText(base: Buffer, ours: Buffer, theirs: Buffer, options: MarkerOptions): MergedText {
  const texts = [splitLines(base), splitLines(ours), splitLines(theirs)] as const;
  const { of, count } = classifyLines(texts);
  const [baseClasses, ourClasses, theirClasses] = of as [Int32Array, Int32Array, Int32Array];
  const our = sideOf(texts[1], baseClasses, ourClasses, count);
  const their = sideOf(texts[2], baseClasses, theirClasses, count);
  if (our.changes.length === 0) return { data: theirs, conflicts: 0 };
  if (their.changes.length === 0) return { data: ours, conflicts: 0 };
  const merge = new TextMerge(texts[0], our, their, count);
  const ranges = joinedConflicts(merge.refined(merge.ranges()));
  const data = new MergeWriter(texts[0], our.text, their.text, options).write(ranges);
  return { data, conflicts: ranges.filter(({ side }) => side === "both").length };
}

function sideOf(text: Lines, base: Int32Array, classes: Int32Array, count: number): Side {
  return { text, classes, changes: compared(base, classes, count) };
}

function compared(old: Int32Array, fresh: Int32Array, count: number): LineChange[] {
  const marked = { old: new Uint8Array(old.length), new: new Uint8Array(fresh.length) };
  markHistogram(old, fresh, count, marked);
  slideChanges(marked.old, marked.new, old);
  slideChanges(marked.new, marked.old, fresh);
  return changesOf(marked);
}

class TextMerge {
  readonly #our: Side;
  readonly #their: Side;
  readonly #classCount: number;
  readonly #growth: { ours: number; theirs: number };
  readonly #found: Range[] = [];

  constructor(base: Lines, our: Side, their: Side, classCount: number) {
    this.#our = our;
    this.#their = their;
    this.#classCount = classCount;
    this.#growth = { ours: our.text.count - base.count, theirs: their.text.count - base.count };
  }

  /** The changes of both sides in order; touching ones are in conflict, unless they are equal. */
  ranges(): Range[] {
    const [ours, theirs] = [[...this.#our.changes], [...this.#their.changes]];
    for (;;) {
      const [our, their] = [ours[0], theirs[0]];
      if (our === undefined && their === undefined) return this.#found;
      if (their === undefined || (our !== undefined && baseEnd(our) < their.oldStart)) {
        this.#addOurs(our as LineChange, their);
        ours.shift();
      } else if (our === undefined || baseEnd(their) < our.oldStart) {
        this.#addTheirs(their, our);
        theirs.shift();
      } else {
        if (!this.#isSame(our, their)) this.#addConflict(our, their);
        const [ourEnd, theirEnd] = [baseEnd(our), baseEnd(their)];
        if (ourEnd >= theirEnd) theirs.shift();
        if (theirEnd >= ourEnd) ours.shift();
      }
    }
  }

  #addOurs(our: LineChange, nextTheirs: LineChange | undefined): void {
    const shift = nextTheirs === undefined ? this.#growth.theirs : nextTheirs.newStart - nextTheirs.oldStart;
    this.#add({
      side: "ours",
      ...{ ourStart: our.newStart, ourCount: our.newCount },
      ...{ theirStart: our.oldStart + shift, theirCount: our.oldCount },
    });
  }

  #addTheirs(their: LineChange, nextOurs: LineChange | undefined): void {
    const shift = nextOurs === undefined ? this.#growth.ours : nextOurs.newStart - nextOurs.oldStart;
    this.#add({
      side: "theirs",
      ...{ ourStart: their.oldStart + shift, ourCount: their.oldCount },
      ...{ theirStart: their.newStart, theirCount: their.newCount },
    });
  }

  #isSame(our: LineChange, their: LineChange): boolean {
    if (our.oldStart !== their.oldStart || our.oldCount !== their.oldCount) return false;
    if (our.newCount !== their.newCount) return false;
    for (let at = 0; at < our.newCount; at++) {
      if (this.#our.classes[our.newStart + at] !== this.#their.classes[their.newStart + at]) return false;
    }
    return true;
  }

  /** The conflict covers everything that either side changed of the base. */
  #addConflict(our: LineChange, their: LineChange): void {
    const start = our.oldStart - their.oldStart;
    const end = baseEnd(our) - baseEnd(their);
    const ourStart = our.newStart - Math.max(start, 0);
    const theirStart = their.newStart + Math.min(start, 0);
    this.#add({
      side: "both",
      ...{ ourStart, ourCount: our.newStart + our.newCount - ourStart + Math.max(-end, 0) },
      ...{ theirStart, theirCount: their.newStart + their.newCount - theirStart + Math.max(end, 0) },
    });
  }

  /** Joins a range to the last one when they touch. */
  #add(range: Range): void {
    const last = this.#found.at(-1);
    const touches =
      last !== undefined &&
      (range.ourStart <= last.ourStart + last.ourCount ||
        range.theirStart <= last.theirStart + last.theirCount);
    if (!touches) {
      this.#found.push(range);
      return;
    }
    if (range.side !== last.side) last.side = "both";
    last.ourCount = range.ourStart + range.ourCount - last.ourStart;
    last.theirCount = range.theirStart + range.theirCount - last.theirStart;
  }

  /** Conflicts cut down to the lines in which the sides differ. */
  refined(ranges: readonly Range[]): Range[] {
    return ranges.flatMap((range) => {
      const isOpen = range.side === "both" && range.ourCount > 0 && range.theirCount > 0;
      return isOpen ? this.#refinedConflict(range) : [range];
    });
  }

  #refinedConflict(range: Range): Range[] {
    const { ourStart, ourCount, theirStart, theirCount } = range;
    const ours = this.#our.classes.subarray(ourStart, ourStart + ourCount);
    const theirs = this.#their.classes.subarray(theirStart, theirStart + theirCount);
    const changes = compared(ours, theirs, this.#classCount);
    if (changes.length === 0) return [{ ...range, side: "same" }];
    return changes.map((change) => ({
      side: "both",
      ...{ ourStart: ourStart + change.oldStart, ourCount: change.oldCount },
      ...{ theirStart: theirStart + change.newStart, theirCount: change.newCount },
    }));
  }
}

const baseEnd = ({ oldStart, oldCount }: LineChange): number => oldStart + oldCount;

/** Joins conflicts that stand close together. */
function joinedConflicts(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    const isClose =
      last?.side === "both" &&
      range.side === "both" &&
      range.ourStart - (last.ourStart + last.ourCount) <= mostLinesBetween;
    if (!isClose || last === undefined) joined.push({ ...range });
    else {
      last.ourCount = range.ourStart + range.ourCount - last.ourStart;
      last.theirCount = range.theirStart + range.theirCount - last.theirStart;
    }
  }
  return joined;
}
