/** A text in lines, each with its line feed; the last one may lack it. */
export interface Lines {
  readonly data: Buffer;
  readonly count: number;
  /** Where line `n` begins; one more than there are lines, the last being the end. */
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
