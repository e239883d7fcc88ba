import type { ObjectId } from "../format/object-format.ts";
import type { CommitLinks } from "./commit-links.ts";
import { DateQueue } from "./date-queue.ts";
import type { HistoryReader } from "./history.ts";

const fromOne = 1;
const fromOthers = 2;
const both = fromOne | fromOthers;
/** Below a common ancestor. */
const stale = 4;
/** How many seconds a commit may be older than its parent with counts still exact: 30 days. */
const mostClockError = 30 * 24 * 3600;

interface Node {
  readonly id: ObjectId;
  readonly seconds: number;
  readonly parents: readonly ObjectId[];
  /** Set when a commit graph knows it. */
  readonly generation: number | undefined;
  flags: number;
  /** Times it waits in the queue. */
  queued: number;
}

/** Marks the ancestors of one commit and of some others until only common ones are left to look at. */
class Painting {
  readonly #history: HistoryReader;
  readonly #nodes = new Map<ObjectId, Node>();
  readonly #queue = new DateQueue<Node>();
  /** Queued entries that are not below a common ancestor. */
  #open = 0;
  readonly #common: Node[] = [];

  constructor(history: HistoryReader) {
    this.#history = history;
  }

  /** Common ancestors that were not found below another one; after wrong clocks a few of them may be. */
  async run(one: ObjectId, others: readonly ObjectId[]): Promise<ObjectId[]> {
    await this.#history.openGraph();
    await this.#mark(one, fromOne);
    for (const other of others) await this.#mark(other, fromOthers);
    while (this.#open > 0) await this.#step();
    const found = this.#common.filter((node) => (node.flags & stale) === 0);
    return [...new Set(found.toSorted((a, b) => b.seconds - a.seconds).map(({ id }) => id))];
  }

  async #step(): Promise<void> {
    const pause = this.#history.pace();
    if (pause !== undefined) await pause;
    const node = this.#queue.pop() as Node;
    if ((node.flags & stale) === 0) this.#open -= 1;
    node.queued -= 1;
    let { flags } = node;
    if ((flags & (both | stale)) === both) {
      this.#common.push(node);
      flags |= stale;
    }
    for (const parent of node.parents) {
      const marking = this.#mark(parent, flags) ?? this.#history.pace();
      if (marking !== undefined) await marking;
    }
  }

  /**
   * How many commits only one of both sides has, after `run`. After wrong clocks a commit below common ones may be
   * newer than they are: the queued ones are followed as far as generations tell, or, when those are unknown, as long
   * as clocks could be that wrong.
   */
  async countOneSided(): Promise<{ ofOne: number; ofOthers: number }> {
    let [oldest, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { flags, seconds, generation = least } of this.#nodes.values()) {
      if ((flags & both) === both) continue;
      oldest = Math.min(oldest, seconds);
      least = Math.min(least, generation);
    }
    const mayLead = ({ seconds, generation }: Node) =>
      generation === undefined ? seconds >= oldest - mostClockError : generation > least;
    const stack: Node[] = [];
    for (let node = this.#queue.pop(); node !== undefined; node = this.#queue.pop()) stack.push(node);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      if (!mayLead(node)) continue;
      for (const id of node.parents) {
        const pause = this.#history.pace();
        if (pause !== undefined) await pause;
        const found = this.#node(id);
        const parent = found instanceof Promise ? await found : found;
        if ((parent.flags & both) === both) continue;
        parent.flags = both | stale;
        stack.push(parent);
      }
    }
    const counts = { ofOne: 0, ofOthers: 0 };
    for (const { flags } of this.#nodes.values()) {
      if ((flags & both) === fromOne) counts.ofOne += 1;
      else if ((flags & both) === fromOthers) counts.ofOthers += 1;
    }
    return counts;
  }

  /** Whether a commit was found among the ancestors of the others, or of the one. */
  isBelow(id: ObjectId, side: typeof fromOne | typeof fromOthers): boolean {
    return ((this.#nodes.get(id)?.flags ?? 0) & side) !== 0;
  }

  #mark(id: ObjectId, flags: number): Promise<void> | undefined {
    const node = this.#node(id);
    if (node instanceof Promise) return node.then((read) => this.#add(read, flags));
    this.#add(node, flags);
    return undefined;
  }

  #node(id: ObjectId): Node | Promise<Node> {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const links = this.#history.links(id);
    return links instanceof Promise ? links.then((read) => this.#create(id, read)) : this.#create(id, links);
  }

  #create(id: ObjectId, { seconds, parents, generation }: CommitLinks): Node {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node = { id, seconds, parents, generation, flags: 0, queued: 0 };
    this.#nodes.set(id, node);
    return node;
  }

  #add(node: Node, flags: number): void {
    if ((node.flags & flags) === flags) return;
    const wasOpen = (node.flags & stale) === 0;
    node.flags |= flags;
    if (wasOpen && (node.flags & stale) !== 0) this.#open -= node.queued;
    node.queued += 1;
    if ((node.flags & stale) === 0) this.#open += 1;
    this.#queue.push(node.seconds, node);
  }
}

/**
 * The best common ancestors of a commit and of others taken together (`git merge-base --all`), newest first; none for
 * unrelated histories.
 */
export async function mergeBases(
  history: HistoryReader,
  one: ObjectId,
  ...others: readonly ObjectId[]
): Promise<ObjectId[]> {
  if (others.includes(one)) return [one];
  const found = await new Painting(history).run(one, others);
  return found.length > 1 ? withoutAncestors(history, found) : found;
}

/** The commits among some that are no ancestors of another of them, in their order. */
async function withoutAncestors(history: HistoryReader, ids: readonly ObjectId[]): Promise<ObjectId[]> {
  const redundant = new Set<ObjectId>();
  for (const id of ids) {
    if (redundant.has(id)) continue;
    const rest = ids.filter((other) => other !== id && !redundant.has(other));
    const painting = new Painting(history);
    await painting.run(id, rest);
    if (painting.isBelow(id, fromOthers)) redundant.add(id);
    for (const other of rest) if (painting.isBelow(other, fromOne)) redundant.add(other);
  }
  return ids.filter((id) => !redundant.has(id));
}

/** Whether a commit is another one or leads to it. */
export async function isAncestor(
  history: HistoryReader,
  ancestor: ObjectId,
  descendant: ObjectId,
): Promise<boolean> {
  if (ancestor === descendant) return true;
  const painting = new Painting(history);
  await painting.run(ancestor, [descendant]);
  return painting.isBelow(ancestor, fromOthers);
}

/** How many commits each of two has that the other lacks, in one walk down to their merge bases. */
export async function aheadBehind(
  history: HistoryReader,
  one: ObjectId,
  other: ObjectId,
): Promise<{ readonly ahead: number; readonly behind: number }> {
  if (one === other) return { ahead: 0, behind: 0 };
  const painting = new Painting(history);
  await painting.run(one, [other]);
  const { ofOne, ofOthers } = await painting.countOneSided();
  return { ahead: ofOne, behind: ofOthers };
}
