import { objectIdBytes } from "../object/object-format.ts";
import { directoryMode, gitlinkMode } from "../object/tree.ts";
import type { Pacer } from "../pacer.ts";
import type { Place } from "../pack/pack-set.ts";
import type { ObjectReader } from "./object-reader.ts";

/** A tree of a parent commit, at the same path. */
export interface BaseTree {
  readonly place: Place;
  /** The other side has it already, and so all below it. */
  readonly isKnown: boolean;
}

/** Where one entry of a tree lies in the tree's bytes. */
interface EntrySpan {
  readonly start: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly idStart: number;
  readonly end: number;
}

const space = 0x20;
const slash = 0x2f;

/**
 * Chooses trees and blobs that commits lead to and the other side lacks. A tree is compared with the trees that the
 * parents have at the same path: what is equal there is either with the other side or chosen for the parent, so each
 * commit costs what it changed. That holds only if parents are visited before their children.
 */
export class TreeWalk {
  /** Objects to send. */
  readonly chosen: Set<Place>;
  /** Objects met that the other side has: good delta bases. None that is being sent: deltas could rest on each other. */
  readonly bases: Set<Place>;
  readonly #known = new Set<Place>();
  readonly #reader: ObjectReader;
  readonly #pacer: Pacer;
  readonly #idBytes: number;

  constructor(reader: ObjectReader, pacer: Pacer, chosen: Set<Place>, bases: Set<Place>) {
    this.#reader = reader;
    this.#pacer = pacer;
    this.#idBytes = objectIdBytes(reader.packs.format);
    this.chosen = chosen;
    this.bases = bases;
  }

  /** Chooses a tree and what is below it, but for what the bases hold at the same paths. */
  async visit(root: Place, bases: readonly BaseTree[]): Promise<void> {
    const stack: { place: Place; bases: readonly BaseTree[] }[] = [{ place: root, bases }];
    for (let job = stack.pop(); job !== undefined; job = stack.pop()) {
      if (this.#isSettled(job.place, job.bases)) continue;
      this.chosen.add(job.place);
      const tree = this.#reader.tree(job.place);
      const data = tree instanceof Promise ? await tree : tree;
      const compared: BaseCursor[] = [];
      for (const base of job.bases) {
        this.#noteBase(base.place, base.isKnown);
        const content = this.#reader.tree(base.place);
        compared.push(
          new BaseCursor(content instanceof Promise ? await content : content, base.isKnown, this.#idBytes),
        );
      }
      this.#compare(data, compared, stack);
      if (this.#pacer.isDue()) await this.#pacer.pause();
    }
  }

  #isSettled(place: Place, bases: readonly BaseTree[]): boolean {
    if (this.chosen.has(place) || this.#known.has(place)) return true;
    return bases.some((base) => base.place === place);
  }

  #noteBase(place: Place, isKnown: boolean): void {
    // Only what surely is on the other side: of a parent that is itself being sent each object may go out too.
    if (!isKnown) return;
    this.bases.add(place);
    this.#known.add(place);
  }

  #compare(data: Buffer, bases: BaseCursor[], stack: { place: Place; bases: readonly BaseTree[] }[]): void {
    for (let at = 0; at < data.length; ) {
      const entry = entryAt(data, at, this.#idBytes);
      at = entry.end;
      let isEqual = false;
      const matches: { span: EntrySpan; cursor: BaseCursor }[] = [];
      for (const cursor of bases) {
        const span = cursor.seek(data, entry);
        if (span === undefined) continue;
        if (cursor.isSame(span, data, entry)) isEqual = true;
        else matches.push({ span, cursor });
      }
      if (!isEqual) this.#choose(data, entry, matches, stack);
    }
  }

  #choose(
    data: Buffer,
    entry: EntrySpan,
    matches: readonly { span: EntrySpan; cursor: BaseCursor }[],
    stack: { place: Place; bases: readonly BaseTree[] }[],
  ): void {
    const kind = kindOf(data, entry);
    if (kind === gitlinkMode) return;
    const id = data.subarray(entry.idStart, entry.end);
    const place = kind === directoryMode ? this.#reader.treePlace(id) : this.#reader.place(id);
    if (place === undefined) return;
    const bases: BaseTree[] = [];
    for (const { span, cursor } of matches) {
      if (kindOf(cursor.data, span) !== kind) continue;
      const base = this.#reader.packs.find(cursor.data.subarray(span.idStart, span.end));
      if (base !== undefined) bases.push({ place: base, isKnown: cursor.isKnown });
    }
    if (kind === directoryMode) stack.push({ place, bases });
    else {
      for (const base of bases) this.#noteBase(base.place, base.isKnown);
      if (!this.#known.has(place)) this.chosen.add(place);
    }
  }
}

/** Goes through a base tree beside the tree that is compared with it; both are in git's order. */
class BaseCursor {
  readonly data: Buffer;
  readonly isKnown: boolean;
  readonly #idBytes: number;
  #at = 0;

  constructor(data: Buffer, isKnown: boolean, idBytes: number) {
    this.data = data;
    this.isKnown = isKnown;
    this.#idBytes = idBytes;
  }

  /** The base's entry of the same name and kind of name, if it has one. */
  seek(data: Buffer, entry: EntrySpan): EntrySpan | undefined {
    while (this.#at < this.data.length) {
      const span = entryAt(this.data, this.#at, this.#idBytes);
      const order = compareNames(this.data, span, data, entry);
      if (order > 0) return undefined;
      this.#at = span.end;
      if (order === 0) return span;
    }
    return undefined;
  }

  isSame(span: EntrySpan, data: Buffer, entry: EntrySpan): boolean {
    return this.data.compare(data, entry.start, entry.end, span.start, span.end) === 0;
  }
}

function entryAt(data: Buffer, start: number, idBytes: number): EntrySpan {
  let gap = start;
  while (data[gap] !== space && gap < data.length) gap += 1;
  const nameEnd = data.indexOf(0, gap);
  const end = nameEnd + 1 + idBytes;
  if (nameEnd < 0 || end > data.length) throw new Error("tree is cut short");
  return { start, nameStart: gap + 1, nameEnd, idStart: nameEnd + 1, end };
}

/** `directoryMode`, `gitlinkMode`, or 0 for what leads to a blob. */
function kindOf(data: Buffer, { start, nameStart }: EntrySpan): number {
  let mode = 0;
  for (let at = start; at < nameStart - 1; at++) mode = mode * 8 + (data[at] as number) - 0x30;
  const kind = mode & 0o170000;
  return kind === directoryMode || kind === gitlinkMode ? kind : 0;
}

/** Git's order of entries: by bytes, a directory as if its name ended in a slash. */
function compareNames(left: Buffer, a: EntrySpan, right: Buffer, b: EntrySpan): number {
  const length = Math.min(a.nameEnd - a.nameStart, b.nameEnd - b.nameStart);
  const order = left.compare(right, b.nameStart, b.nameStart + length, a.nameStart, a.nameStart + length);
  if (order !== 0) return order;
  return nextByte(left, a, length) - nextByte(right, b, length);
}

function nextByte(data: Buffer, span: EntrySpan, length: number): number {
  if (span.nameStart + length < span.nameEnd) return data[span.nameStart + length] as number;
  return kindOf(data, span) === directoryMode ? slash : 0;
}
