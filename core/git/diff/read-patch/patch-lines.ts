/** The lines of a patch, read one after the other. */
export class PatchLines {
  readonly #text: string;
  #at = 0;
  #end: number;
  /** The line to be read next, from 1. */
  number = 1;

  constructor(text: string) {
    this.#text = text;
    this.#end = this.#endFrom(0);
  }

  /** Where the next line begins. */
  get offset(): number {
    return this.#at;
  }

  /** The text from an offset up to the next line. */
  since(offset: number): string {
    return this.#text.slice(offset, this.#at);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The line that `next` will take, without its line feed; empty at the end. */
  get line(): string {
    return this.#text.slice(this.#at, this.#end);
  }

  /** The one behind it. */
  get ahead(): string {
    return this.#text.slice(this.#end + 1, this.#endFrom(this.#end + 1));
  }

  /** Takes a line. */
  next(): string {
    const { line } = this;
    this.#at = this.#end + 1;
    this.#end = this.#endFrom(this.#at);
    this.number += 1;
    return line;
  }

  #endFrom(at: number): number {
    const end = at > this.#text.length ? -1 : this.#text.indexOf("\n", at);
    return end < 0 ? this.#text.length : end;
  }
}
