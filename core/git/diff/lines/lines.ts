/** A text in lines, each with its line feed; the last one may lack it. */
export interface Lines {
  readonly data: Buffer;
  readonly count: number;
  /** The start of line `n`; it has one number more than there are lines, and the last is the end. */
  readonly starts: Uint32Array;
}

const lineFeed = 0x0a;

/** Finds the lines of some bytes. */
export function splitLines(data: Buffer): Lines {
  let starts = new Uint32Array(64);
  let count = 0;
  for (let at = 0; at < data.length; ) {
    if (count + 1 >= starts.length) {
      const larger = new Uint32Array(starts.length * 4);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at;
    const end = data.indexOf(lineFeed, at);
    at = end < 0 ? data.length : end + 1;
  }
  starts[count] = data.length;
  return { data, count, starts };
}

/** The bytes of a line, its line feed included: a view. */
export const lineAt = ({ data, starts }: Lines, line: number): Buffer =>
  data.subarray(starts[line], starts[line + 1]);

/** A text without its first `start` and last `end` lines: a view. */
export const someLines = ({ data, count, starts }: Lines, start: number, end: number): Lines => ({
  ...{ data, count: count - start - end, starts: starts.subarray(start, count - end + 1) },
});

/** Whether some texts have more than so many lines in all; counts no further. */
export function haveMoreLines(texts: readonly Buffer[], most: number): boolean {
  let count = 0;
  for (const data of texts) {
    for (let at = 0; at < data.length && count <= most; count++) {
      const end = data.indexOf(lineFeed, at);
      at = end < 0 ? data.length : end + 1;
    }
  }
  return count > most;
}

/** The common lines at the beginning and end of two texts, found in their bytes by halving, so texts may be large. */
export function commonEnds(one: Lines, other: Lines): { head: number; tail: number } {
  const most = Math.min(one.count, other.count);
  const [a, b] = [one.data, other.data];
  const headBytes = commonBytes(Math.min(a.length, b.length), (from, to) => a.compare(b, from, to, from, to));
  const isHead = (lines: number) => one.starts[lines] === other.starts[lines];
  const head = largest(most, (lines) => (one.starts[lines] as number) <= headBytes && isHead(lines));
  const tailBytes = commonBytes(Math.min(a.length, b.length), (from, to) =>
    a.compare(b, b.length - to, b.length - from, a.length - to, a.length - from),
  );
  const tail = largest(
    most - head,
    (lines) => a.length - (one.starts[one.count - lines] as number) < tailBytes,
  );
  return { head, tail };
}

/** How many of so many bytes are equal, found by comparing ranges. */
function commonBytes(length: number, compare: (from: number, to: number) => number): number {
  let known = 0;
  let end = length;
  while (known < end) {
    const middle = (known + end + 1) >>> 1;
    if (compare(known, middle) === 0) known = middle;
    else end = middle - 1;
  }
  return known;
}

/** The largest number up to `most` for which a condition holds that holds for all smaller ones. */
function largest(most: number, holds: (number: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Numbers for lines: equal lines of any of the texts have the same. */
export interface LineClasses {
  /** By text and line. */
  readonly of: readonly Int32Array[];
  /** How many different lines there are. */
  readonly count: number;
}

/** Compares the lines of some texts by giving numbers to them. */
export function classifyLines(texts: readonly Lines[]): LineClasses {
  const known = new Map<string, number>();
  const of = texts.map(({ data, count, starts }) => {
    const classes = new Int32Array(count);
    for (let line = 0; line < count; line++) {
      const text = data.toString("latin1", starts[line] as number, starts[line + 1] as number);
      let number = known.get(text);
      if (number === undefined) {
        number = known.size;
        known.set(text, number);
      }
      classes[line] = number;
    }
    return classes;
  });
  return { of, count: known.size };
}
