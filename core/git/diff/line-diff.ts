import { compactChanges } from "./compact.ts";
import { classifyLines, type Lines, splitLines } from "./lines.ts";
import { markMyers } from "./myers.ts";

/** A stretch of lines that was replaced; either side may be empty. Lines count from 0. */
export interface LineChange {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** Two texts and what differs between them. */
export interface LineDiff {
  readonly old: Lines;
  readonly new: Lines;
  readonly changes: readonly LineChange[];
}

/** Which lines of two texts are not common to both: 1 where removed or added. */
export interface MarkedLines {
  readonly old: Uint8Array;
  readonly new: Uint8Array;
}

/** The differences that `git diff` finds by default: Myers' algorithm with its short cuts, and the indent heuristic. */
export function diffLines(before: Buffer, after: Buffer): LineDiff {
  const texts = { old: splitLines(before), new: splitLines(after) };
  const classes = classifyLines([texts.old, texts.new]);
  const [old, fresh] = classes.of as [Int32Array, Int32Array];
  const marked = { old: new Uint8Array(old.length), new: new Uint8Array(fresh.length) };
  markMyers(old, fresh, classes.count, marked);
  compactChanges(marked.old, marked.new, old, texts.old);
  compactChanges(marked.new, marked.old, fresh, texts.new);
  return { ...texts, changes: changesOf(marked) };
}

/** Stretches of marked lines, in order. */
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
