import { typeCodes } from "../format/object-type.ts";
import type { SideFile } from "./side-file.ts";

/** Part of a pack, or of a block of it. */
export interface PackRange {
  start: number;
  end: number;
}

/** The part of a pack's block in memory: all of it, or the parts that walks read. Offsets are the block's own. */
export interface HeldBlock {
  /** Memory held. */
  readonly byteLength: number;
  /** The bytes of a part; undefined unless all of it is held. */
  part(start: number, end: number): Buffer | undefined;
}

/** All of a block. */
export class WholeBlock implements HeldBlock {
  readonly bytes: Buffer;
  /** Its start in the pack. */
  readonly offset: number;

  constructor(bytes: Buffer, offset: number) {
    this.bytes = bytes;
    this.offset = offset;
  }

  get byteLength(): number {
    return this.bytes.length;
  }

  part(start: number, end: number): Buffer | undefined {
    return end <= this.bytes.length ? this.bytes.subarray(start, end) : undefined;
  }
}

/** A copy of a block without its blobs: trees among blobs take a few per cent of it. */
export class BlockWithoutBlobs implements HeldBlock {
  readonly byteLength: number;
  readonly #bytes: Buffer;
  /** In their order, apart from each other; end to end in `#bytes`. */
  readonly #runs: readonly PackRange[];
  /** The starts of the runs there. */
  readonly #places: readonly number[];

  constructor(block: WholeBlock, side: SideFile) {
    const runs = runsWithoutBlobs(side, block);
    this.#bytes = Buffer.concat(runs.map(({ start, end }) => block.bytes.subarray(start, end)));
    this.#runs = runs;
    let place = 0;
    this.#places = runs.map(({ start, end }) => {
      place += end - start;
      return place - (end - start);
    });
    this.byteLength = this.#bytes.length + runs.length * runBytes;
  }

  part(start: number, end: number): Buffer | undefined {
    let low = 0;
    let high = this.#runs.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#runs[middle] as PackRange).start <= start) low = middle;
      else high = middle;
    }
    const run = this.#runs[low];
    if (run === undefined || start < run.start || end > run.end) return undefined;
    const place = (this.#places[low] as number) - run.start;
    return this.#bytes.subarray(place + start, place + end);
  }
}

/** About what one run costs beside its bytes. */
const runBytes = 48;

/** The runs of a block's entries that are no blobs. */
function runsWithoutBlobs(side: SideFile, block: WholeBlock): PackRange[] {
  const { offset, byteLength } = block;
  const runs: PackRange[] = [];
  for (const position of linksIn(side, offset, offset + byteLength)) {
    const start = Math.max(0, side.offsetAt(position) - offset);
    const end = Math.min(byteLength, side.endAt(position) - offset);
    const run = runs.at(-1);
    if (run?.end === start) run.end = end;
    else runs.push({ start, end });
  }
  return runs;
}

/** Entries that are no blobs and lie, wholly or partly, in a part of a pack, by place. */
export function* linksIn(side: SideFile, start: number, end: number): Generator<number> {
  const last = side.rankFrom(end);
  for (let rank = Math.max(0, side.rankFrom(start + 1) - 1); rank < last; rank++) {
    const position = side.order[rank] as number;
    if (side.typeCodeAt(position) !== typeCodes.blob && side.endAt(position) > start) yield position;
  }
}
