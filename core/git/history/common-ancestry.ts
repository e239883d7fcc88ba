import { Pacer } from "../../concurrency/pacer.ts";
import type { ObjectId } from "../format/object-format.ts";
import { nextLinks } from "./commit-links.ts";
import { DateQueue } from "./date-queue.ts";
import type { ReadObject } from "./find-unreached.ts";

/** The bounds of a walk, and what ends it. */
export interface AncestryBounds {
  readonly mostCommits?: number;
  readonly signal?: AbortSignal;
}

/**
 * Whether every wanted commit has an ancestor among the common commits, so that further negotiation would hardly shrink
 * the pack. It walks down from the wants, newest first, no further than the oldest common commit, and continues as more
 * become common: it reads each commit once, however often a client asks. It answers "no" for good when that takes more
 * than `mostCommits`. Wanted trees and blobs count as settled.
 */
export class CommonAncestry {
  readonly #read: ReadObject;
  readonly #mostCommits: number;
  readonly #pacer: Pacer;
  readonly #signal: AbortSignal | undefined;
  readonly #common = new Set<ObjectId>();
  /** Common commits that the walk does not know of yet. */
  #added: ObjectId[] = [];
  /** Wants to begin from, then those without a common ancestor so far. */
  readonly #unvisited: ObjectId[];
  readonly #unbased: Set<ObjectId>;
  readonly #seen = new Set<ObjectId>();
  readonly #based = new Set<ObjectId>();
  readonly #children = new Map<ObjectId, ObjectId[]>();
  readonly #queue = new DateQueue<{ id: ObjectId; parents: readonly ObjectId[] }>();
  #oldest = Number.POSITIVE_INFINITY;

  constructor(read: ReadObject, wants: readonly ObjectId[], bounds: AncestryBounds = {}) {
    this.#read = read;
    this.#unvisited = [...wants];
    this.#unbased = new Set(wants);
    this.#mostCommits = bounds.mostCommits ?? 20_000;
    this.#pacer = new Pacer(bounds.signal);
    this.#signal = bounds.signal;
  }

  /** The commits added so far, in their order. */
  get common(): ReadonlySet<ObjectId> {
    return this.#common;
  }

  /** Notes a commit that both sides have. */
  add(id: ObjectId): void {
    if (this.#common.has(id)) return;
    this.#common.add(id);
    this.#added.push(id);
  }

  /** The answer for everything added so far; "no" for now when `untilMs` (of `performance.now`) passes first. */
  async isEverythingBased(untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.#signal?.throwIfAborted();
    if (this.#unbased.size === 0) return true;
    if (this.#seen.size > this.#mostCommits) return false;
    const added = this.#added;
    this.#added = [];
    for (const id of added) {
      if (this.#pacer.isDue()) await this.#pacer.pause();
      this.#oldest = Math.min(this.#oldest, await this.#dateOf(id));
      if (this.#seen.has(id)) this.#markBased(id);
    }
    for (let want = this.#unvisited.pop(); want !== undefined; want = this.#unvisited.pop()) {
      await this.#visit(want);
    }
    while (this.#unbased.size > 0 && (this.#queue.newest ?? Number.NEGATIVE_INFINITY) >= this.#oldest) {
      if (this.#seen.size > this.#mostCommits || performance.now() > untilMs) return false;
      await this.#step();
    }
    return this.#unbased.size === 0;
  }

  async #step(): Promise<void> {
    const next = this.#queue.pop();
    for (const parent of next?.parents ?? []) {
      if (this.#pacer.isDue()) await this.#pacer.pause();
      const known = this.#children.get(parent);
      const child = (next as { id: ObjectId }).id;
      if (known === undefined) this.#children.set(parent, [child]);
      else known.push(child);
      if (this.#based.has(parent)) this.#markBased(child);
      else await this.#visit(parent);
    }
  }

  async #visit(id: ObjectId): Promise<void> {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (this.#common.has(id)) return this.#markBased(id);
    const object = await this.#read(id);
    const links = object && nextLinks(object);
    if (this.#pacer.isDue(1 + (links?.parents.length ?? 0))) await this.#pacer.pause();
    if (links === undefined) this.#unbased.delete(id);
    else this.#queue.push(links.seconds, { id, parents: links.parents });
  }

  /** Marks a commit as based on common ground, with all its known descendants. */
  #markBased(from: ObjectId): void {
    const stack = [from];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (this.#based.has(id)) continue;
      this.#based.add(id);
      this.#unbased.delete(id);
      stack.push(...(this.#children.get(id) ?? []));
    }
  }

  async #dateOf(id: ObjectId): Promise<number> {
    const object = await this.#read(id);
    if (object?.type !== "commit") return Number.POSITIVE_INFINITY;
    return nextLinks(object)?.seconds ?? Number.POSITIVE_INFINITY;
  }
}
