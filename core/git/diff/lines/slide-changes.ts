import { bestSplit } from "./indent.ts";
import type { Lines } from "./lines.ts";

/** Adjacent changed lines of one text; empty between two unchanged lines. */
interface Group {
  start: number;
  end: number;
}

/**
 * Groups of changed lines can often be moved: when the line before a group equals its last. This moves each as far as
 * it goes, joining the groups that it meets, then back to a change of the other text, or, with `text`, to the place
 * where the indentation reads best. It changes `marked`; the marks of the other text only say where its groups are.
 */
export function slideChanges(
  marked: Uint8Array,
  othersMarked: Uint8Array,
  classes: Int32Array,
  text?: Lines,
): void {
  const own = new Groups(marked, classes);
  const other = new Groups(othersMarked, classes);
  do {
    if (own.end > own.start) slide(own, other, text);
    // The groups of both texts advance together: the common lines lie between them.
  } while (own.next() && other.next());
}

function slide(own: Groups, other: Groups, text: Lines | undefined): void {
  let size: number;
  let highestEnd: number;
  let matchingEnd: number;
  do {
    size = own.end - own.start;
    while (own.slideUp()) other.previous();
    highestEnd = own.end;
    matchingEnd = other.end > other.start ? own.end : -1;
    while (own.slideDown()) {
      other.next();
      if (other.end > other.start) matchingEnd = own.end;
    }
  } while (size !== own.end - own.start);
  if (own.end === highestEnd) return;
  const back = () => {
    own.slideUp();
    other.previous();
  };
  if (matchingEnd !== -1) while (other.end === other.start) back();
  else if (text !== undefined) {
    const best = bestSplit(text, own, highestEnd);
    while (own.end > best) back();
  }
}

/** Walks over the groups of one text. */
class Groups implements Group {
  readonly #marked: Uint8Array;
  readonly #classes: Int32Array;
  start = 0;
  end = 0;

  constructor(marked: Uint8Array, classes: Int32Array) {
    this.#marked = marked;
    this.#classes = classes;
    this.#growDown();
  }

  #growDown(): void {
    while (this.#marked[this.end] === 1) this.end += 1;
  }

  #growUp(): void {
    while (this.start > 0 && this.#marked[this.start - 1] === 1) this.start -= 1;
  }

  /** Goes to the group after the next unchanged line; false at the end of the text. */
  next(): boolean {
    if (this.end === this.#marked.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.#growDown();
    return true;
  }

  previous(): void {
    if (this.start === 0) return;
    this.end = this.start - 1;
    this.start = this.end;
    this.#growUp();
  }

  /** Moves the group one line up, joining what it meets there; false when it can't move. */
  slideUp(): boolean {
    const { start, end } = this;
    if (start === 0 || this.#classes[start - 1] !== this.#classes[end - 1]) return false;
    this.start -= 1;
    this.end -= 1;
    this.#marked[this.start] = 1;
    this.#marked[this.end] = 0;
    this.#growUp();
    return true;
  }

  slideDown(): boolean {
    const { start, end } = this;
    if (end >= this.#marked.length || this.#classes[start] !== this.#classes[end]) return false;
    this.#marked[start] = 0;
    this.#marked[end] = 1;
    this.start += 1;
    this.end += 1;
    this.#growDown();
    return true;
  }
}
