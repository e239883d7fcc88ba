import { classifyLines, commonEnds, type Lines, someLines, splitLines } from "./lines.ts";
import { markMyers } from "./myers.ts";
import { slideChanges } from "./slide-changes.ts";

/** A range of lines that was replaced; either side may be empty. Lines count from 0. */
export interface LineChange {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** Two texts and their differences. */
export interface LineDiff {
  readonly old: Lines;
  readonly new: Lines;
  readonly changes: readonly LineChange[];
  /** The cost of comparing them: steps of the search, the same in each run. */
  readonly steps: number;
}

/** The lines of two texts that are not common to both: 1 for removed or added. */
export interface MarkedLines {
  readonly old: Uint8Array;
  readonly new: Uint8Array;
}

/**
 * Longer texts are compared only between their equal beginnings and ends, and only if that has at most this many lines.
 */
const mostLines = 1_000_000;
/** How many lines of those beginnings and ends are compared too: changes may move into them. */
const margin = 1_000;

/**
 * The differences that `git diff` finds by default: Myers' algorithm with git's shortcuts, and the indent heuristic.
 */
export function diffLines(before: Buffer, after: Buffer): LineDiff {
  const texts = { old: splitLines(before), new: splitLines(after) };
  if (texts.old.count + texts.new.count <= mostLines) {
    return { ...texts, ...changesBetween(texts.old, texts.new) };
  }
  const { head, tail } = commonEnds(texts.old, texts.new);
  const [start, end] = [Math.max(0, head - margin), Math.max(0, tail - margin)];
  const [old, fresh] = [someLines(texts.old, start, end), someLines(texts.new, start, end)];
  const { changes, steps } =
    old.count + fresh.count > mostLines
      ? { changes: [{ oldStart: 0, oldCount: old.count, newStart: 0, newCount: fresh.count }], steps: 0 }
      : changesBetween(old, fresh);
  const moved = changes.map((change) => ({
    ...{ ...change, oldStart: change.oldStart + start, newStart: change.newStart + start },
  }));
  return { ...texts, changes: moved, steps };
}

function changesBetween(before: Lines, after: Lines): Pick<LineDiff, "changes" | "steps"> {
  const classes = classifyLines([before, after]);
  const [old, fresh] = classes.of as [Int32Array, Int32Array];
  const marked = { old: new Uint8Array(old.length), new: new Uint8Array(fresh.length) };
  const steps = markMyers(old, fresh, classes.count, marked);
  slideChanges(marked.old, marked.new, old, before);
  slideChanges(marked.new, marked.old, fresh, after);
  return { changes: changesOf(marked), steps };
}

/** Runs of marked lines, in order. */
export function changesOf({ old, new: fresh }: MarkedLines): LineChange[] {
  const changes: LineChange[] = [];
  let oldAt = 0;
  let newAt = 0;
  while (oldAt < old.length || newAt < fresh.length) {
    const [oldStart, newStart] = [oldAt, newAt];
    while (old[oldAt] === 1) oldAt += 1;
    while (fresh[newAt] === 1) newAt += 1;
    if (oldAt > oldStart || newAt > newStart) {
      changes.push({ oldStart, oldCount: oldAt - oldStart, newStart, newCount: newAt - newStart });
    }
    oldAt += 1;
    newAt += 1;
  }
  return changes;
}
