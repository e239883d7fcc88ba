const mostManyMatches = 1_024;
const scanWindow = 100;
const discardedPerKept = 4;

/** How often each class occurs. */
export function countsOf(classes: Int32Array, classCount: number): Uint32Array {
  const counts = new Uint32Array(classCount);
  for (const one of classes) counts[one] = (counts[one] as number) + 1;
  return counts;
}

/** About the square root, computed like git. */
export function roughRoot(value: number): number {
  let root = 1;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 4)) root *= 2;
  return root;
}

/** Lines that take part in the comparison, and their places in the text. */
export interface KeptLines {
  readonly classes: Int32Array;
  readonly lines: Int32Array;
}

const unmatched = 0;
const matched = 1;
const oftenMatched = 2;

/** Marks lines that the other text lacks at once, and frequent lines among them: they would only mislead. */
export function keepLines(
  classes: Int32Array,
  othersCounts: Uint32Array,
  from: number,
  to: number,
  marked: Uint8Array,
): KeptLines {
  const often = Math.min(roughRoot(classes.length), mostManyMatches);
  const kinds = new Uint8Array(classes.length);
  for (let line = from; line < to; line++) {
    const count = othersCounts[classes[line] as number] as number;
    kinds[line] = count === 0 ? unmatched : count >= often ? oftenMatched : matched;
  }
  const lines = new Int32Array(to - from);
  let kept = 0;
  for (let line = from; line < to; line++) {
    const isKept =
      kinds[line] === matched || (kinds[line] === oftenMatched && !isAmidUnmatched(kinds, line, from, to));
    if (isKept) lines[kept++] = line;
    else marked[line] = 1;
  }
  const chosen = lines.subarray(0, kept);
  return { lines: chosen, classes: chosen.map((line) => classes[line] as number) };
}

/** Whether a frequent line lies in a run of mostly unmatched lines, on both of its sides. */
function isAmidUnmatched(kinds: Uint8Array, line: number, from: number, to: number): boolean {
  const before = runOf(kinds, line, -1, Math.max(from, line - scanWindow));
  if (before.unmatched === 0) return false;
  const after = runOf(kinds, line, 1, Math.min(to - 1, line + scanWindow));
  if (after.unmatched === 0) return false;
  const often = before.often + after.often;
  return often * discardedPerKept < often + before.unmatched + after.unmatched;
}

/** Counts up to the first line that has few matches; the starting line counts as frequent on each side. */
function runOf(kinds: Uint8Array, line: number, step: 1 | -1, end: number) {
  const run = { unmatched: 0, often: 1 };
  for (let at = line + step; step > 0 ? at <= end : at >= end; at += step) {
    if (kinds[at] === matched) break;
    if (kinds[at] === unmatched) run.unmatched += 1;
    else run.often += 1;
  }
  return run;
}
