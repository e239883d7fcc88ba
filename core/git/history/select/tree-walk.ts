import type { Pacer } from "../../../concurrency/pacer.ts";
import { objectIdBytes } from "../../format/object-format.ts";
import { directoryMode, gitlinkMode } from "../../format/tree.ts";
import type { Place } from "../../pack/pack-set.ts";
import type { ObjectReader } from "../object-reader.ts";
import { type EntrySpan, entryAt, kindOf, treeLinks } from "../tree-links.ts";
import type { ObjectFilter } from "./object-filter.ts";

/** A tree of a parent commit, at the same path. */
export interface BaseTree {
  readonly place: Place;
  /** The other side has it already, and so all below it. */
  readonly isKnown: boolean;
}

/** A tree to visit; `depth` is 0 for a commit's own. */
interface Visit {
  readonly place: Place;
  readonly bases: readonly BaseTree[];
  readonly depth: number;
}

const slash = 0x2f;

/**
 * Chooses trees and blobs that commits lead to and the other side lacks. It compares a tree with the parents' trees at
 * the same path: equal parts are either with the other side or chosen for the parent, so each commit costs only its
 * changes. That holds only if parents are visited before their children.
 */
export class TreeWalk {
  /** Objects to send. */
  readonly chosen: Set<Place>;
  /** Met objects that the other side has: good delta bases. None of them is sent: deltas could rest on each other. */
  readonly bases: Set<Place>;
  readonly #known = new Set<Place>();
  readonly #filter: ObjectFilter | undefined;
  /**
   * The least depth at which a tree was met: with a filter, a tree that is met again nearer to the top shows more of
   * itself.
   */
  readonly #depths = new Map<Place, number>();
  readonly #reader: ObjectReader;
  readonly #pacer: Pacer;
  readonly #idBytes: number;

  constructor(
    reader: ObjectReader,
    pacer: Pacer,
    { chosen, bases }: { chosen: Set<Place>; bases: Set<Place> },
    filter?: ObjectFilter,
  ) {
    this.#reader = reader;
    this.#pacer = pacer;
    this.#idBytes = objectIdBytes(reader.packs.format);
    this.#filter = filter;
    this.chosen = chosen;
    this.bases = bases;
  }

  /** Chooses a tree and everything below it, except parts that the bases hold at the same paths. */
  async visit(root: Place, bases: readonly BaseTree[], depth = 0): Promise<void> {
    const stack: Visit[] = [{ place: root, bases, depth }];
    for (let job = stack.pop(); job !== undefined; job = stack.pop()) {
      if (this.#isSettled(job)) continue;
      this.#settle(job);
      if (!this.#goesBelow(job.depth)) continue;
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
      await this.#compare(data, compared, stack, job.depth + 1);
      if (this.#pacer.isDue()) await this.#pacer.pause();
    }
  }

  /** Notes that the other side has a tree and all below it. */
  async know(root: Place): Promise<void> {
    const stack = [root];
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (this.#known.has(place)) continue;
      this.#noteBase(place, true);
      const tree = this.#reader.tree(place);
      const data = tree instanceof Promise ? await tree : tree;
      for (const { kind, id } of treeLinks(data, this.#idBytes)) {
        if (this.#pacer.isDue()) await this.#pacer.pause();
        const below = this.#reader.packs.find(id);
        if (below === undefined) continue;
        if (kind === "tree") stack.push(below);
        else this.#noteBase(below, true);
      }
      if (this.#pacer.isDue()) await this.#pacer.pause();
    }
  }

  #isSettled({ place, bases, depth }: Visit): boolean {
    if (this.#known.has(place)) return true;
    if (this.#filter === undefined ? this.chosen.has(place) : (this.#depths.get(place) ?? Infinity) <= depth)
      return true;
    return bases.some((base) => base.place === place);
  }

  #settle({ place, depth }: Visit): void {
    if (this.#filter !== undefined) this.#depths.set(place, depth);
    if (this.#filter?.types.has("tree") !== false) this.chosen.add(place);
  }

  /** Whether the filter lets through anything below a tree at this depth. */
  #goesBelow(depth: number): boolean {
    return this.#filter === undefined || depth + 1 < this.#filter.treeDepth;
  }

  #passesBlob(place: Place): boolean {
    const filter = this.#filter;
    if (filter === undefined) return true;
    return filter.types.has("blob") && this.#reader.packs.sizeOf(place) < filter.blobBytes;
  }

  #noteBase(place: Place, isKnown: boolean): void {
    // Only objects that are certainly on the other side: each object of a parent that is sent itself may be sent, too.
    if (!isKnown) return;
    this.bases.add(place);
    this.#known.add(place);
  }

  async #compare(data: Buffer, bases: BaseCursor[], stack: Visit[], depth: number): Promise<void> {
    for (let at = 0; at < data.length; ) {
      if (this.#pacer.isDue(1 + bases.length)) await this.#pacer.pause();
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
      if (!isEqual) this.#choose(data, entry, { matches, stack, depth });
    }
  }

  #choose(
    data: Buffer,
    entry: EntrySpan,
    {
      matches,
      stack,
      depth,
    }: { matches: readonly { span: EntrySpan; cursor: BaseCursor }[]; stack: Visit[]; depth: number },
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
    if (kind === directoryMode) stack.push({ place, bases, depth });
    else {
      for (const base of bases) this.#noteBase(base.place, base.isKnown);
      if (!this.#known.has(place) && this.#passesBlob(place)) this.chosen.add(place);
    }
  }
}

/** Walks a base tree beside the tree that is compared with it; both are in git's order. */
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
