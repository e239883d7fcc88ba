import type { Pace } from "../pack/entry-builder.ts";

/** A part of a content, and its replacement; undefined when it stays as it is. */
export interface Replacement {
  readonly at: number;
  readonly end: number;
  readonly text: Buffer | undefined;
}

/** The most bytes of replacements: a file may repeat a part a million times. */
const mostBytes = 16 * 2 ** 20;
const blockBytes = 256 * 1024;

/**
 * A content with parts replaced; `find` gives them in order from a place on. The content behind 16 MiB of replacements
 * stays as it is.
 */
export async function replaceParts(
  content: Buffer,
  find: (from: number) => Replacement | undefined,
  pace: Pace,
): Promise<Buffer> {
  const gathered = new Gathered();
  let [from, copied, bytes] = [0, 0, 0];
  for (let next = find(0); next !== undefined; next = find(from)) {
    from = next.end;
    const pause = pace(1);
    if (pause !== undefined) await pause;
    if (next.text === undefined) continue;
    bytes += next.text.length;
    if (bytes > mostBytes) break;
    gathered.add(content.subarray(copied, next.at));
    gathered.add(next.text);
    copied = next.end;
  }
  if (copied === 0) return content;
  gathered.add(content.subarray(copied));
  return gathered.all();
}

/** Bytes one after another, however small the parts. */
class Gathered {
  readonly #blocks: Buffer[] = [];
  #block = Buffer.allocUnsafe(blockBytes);
  #filled = 0;

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const taken = bytes.copy(this.#block, this.#filled, at);
      at += taken;
      this.#filled += taken;
      if (this.#filled < blockBytes) continue;
      this.#blocks.push(this.#block);
      this.#block = Buffer.allocUnsafe(blockBytes);
      this.#filled = 0;
    }
  }

  all(): Buffer {
    return Buffer.concat([...this.#blocks, this.#block.subarray(0, this.#filled)]);
  }
}
