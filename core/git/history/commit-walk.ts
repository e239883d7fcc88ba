import type { ObjectId } from "../format/object-format.ts";
import type { CommitLinks } from "./commit-links.ts";
import { DateQueue } from "./date-queue.ts";

/**
 * Where a walk reads its commits: through History, which may look into a commit graph, or from packs alone, as what
 * fetches send has to be found.
 */
export interface CommitReader<L extends CommitLinks> {
  /** A commit's links, at once when they are in memory. */
  links(id: ObjectId): L | Promise<L>;
  /** Called at every step; its promise lets others run. */
  pace(): Promise<void> | undefined;
}

/** A commit that a walk has met. */
export class CommitNode<L extends CommitLinks = CommitLinks> {
  readonly id: ObjectId;
  /** Absent until it is read. */
  links: L | undefined = undefined;
  /** Known once it is read; only those to follow, once it is simplified. */
  parents: readonly CommitNode<L>[] = [];
  isQueued = false;
  isPassed = false;
  /** An excluded commit leads to it. */
  isUninteresting = false;
  /** Excluded itself, by name. */
  isBottom = false;
  /** Simplified away: it changed nothing of what is asked for. */
  isSame = false;

  constructor(id: ObjectId) {
    this.id = id;
  }
}

/** The same, read. */
export type ReadNode<L extends CommitLinks = CommitLinks> = CommitNode<L> & { readonly links: L };

/** The commits that a walk follows and finds. */
export interface WalkRules<L extends CommitLinks> {
  /** Of merges follow the first parent alone. */
  readonly firstParent?: boolean;
  /** Committer dates, in seconds, both included. */
  readonly since?: number;
  readonly until?: number;
  /** Sets `parents` and `isSame` of a commit before its parents are followed. */
  simplify?(node: ReadNode<L>): Promise<void> | undefined;
}

/**
 * How many uninteresting commits are looked at beyond the oldest interesting one: clocks go wrong, ancestors are found
 * late.
 */
const mostSlack = 5;

/** Walks from some commits to their ancestors, newest first by committer date, and marks those of excluded ones. */
export class CommitWalk<L extends CommitLinks = CommitLinks> {
  readonly #reader: CommitReader<L>;
  readonly #rules: WalkRules<L>;
  readonly #nodes = new Map<ObjectId, CommitNode<L>>();
  readonly #queue = new DateQueue<ReadNode<L>>();
  /** Queued commits that are not uninteresting. */
  #open = 0;

  constructor(reader: CommitReader<L>, rules: WalkRules<L> = {}) {
    this.#reader = reader;
    this.#rules = rules;
  }

  /** Every commit that was met; some of them were not read. */
  get nodes(): ReadonlyMap<ObjectId, CommitNode<L>> {
    return this.#nodes;
  }

  /** Queues the commits to begin with, and excludes those of `not` with all that they lead to. */
  async start(tips: readonly ObjectId[], not: readonly ObjectId[]): Promise<void> {
    for (const id of not) {
      const node = this.#node(id);
      node.isBottom = true;
      await this.#paced(node);
      this.#exclude(node);
    }
    for (const ids of [tips, not]) {
      for (const id of ids) this.#enqueue(await this.#paced(this.#node(id)));
    }
  }

  /** All commits that the tips lead to and `not` doesn't: only the whole walk says which of them to leave out. */
  async findAll(): Promise<ReadNode<L>[]> {
    const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = this.#rules;
    const found: ReadNode<L>[] = [];
    let oldest = Number.POSITIVE_INFINITY;
    let slack = mostSlack;
    for (let node = this.pop(); node !== undefined; node = this.pop()) {
      const pause = this.#reader.pace();
      if (pause !== undefined) await pause;
      if (node.links.seconds < since) node.isUninteresting = true;
      const passing = this.pass(node);
      if (passing !== undefined) await passing;
      if (node.isUninteresting) {
        const newest = this.#queue.newest;
        if (newest === undefined) break;
        slack = oldest <= newest || this.#open > 0 ? mostSlack : slack - 1;
        if (slack <= 0) break;
      } else if (node.links.seconds <= until) {
        oldest = node.links.seconds;
        found.push(node);
      }
    }
    return found.filter((node) => !node.isUninteresting);
  }

  /** The newest queued commit; undefined when none is left. */
  pop(): ReadNode<L> | undefined {
    const node = this.#queue.pop();
    if (node !== undefined) {
      node.isQueued = false;
      if (!node.isUninteresting) this.#open -= 1;
    }
    return node;
  }

  /** Simplifies a popped commit's parents, and queues those that are to be followed. */
  pass(node: ReadNode<L>): Promise<void> | undefined {
    if (node.isPassed) return undefined;
    node.isPassed = true;
    if (node.isUninteresting) this.#excludeParents(node);
    else {
      const simplifying = this.#rules.simplify?.(node);
      if (simplifying !== undefined) return simplifying.then(() => this.#enqueueParents(node, 0));
    }
    return this.#enqueueParents(node, 0);
  }

  /** Reads a commit that was met. */
  read(node: CommitNode<L>): ReadNode<L> | Promise<ReadNode<L>> {
    if (node.links !== undefined) return node as ReadNode<L>;
    const links = this.#reader.links(node.id);
    if (links instanceof Promise) return links.then((read) => this.#fill(node, read));
    return this.#fill(node, links);
  }

  async #paced(node: CommitNode<L>): Promise<ReadNode<L>> {
    await this.#reader.pace();
    return this.read(node);
  }

  #node(id: ObjectId): CommitNode<L> {
    let node = this.#nodes.get(id);
    if (node === undefined) {
      node = new CommitNode<L>(id);
      this.#nodes.set(id, node);
    }
    return node;
  }

  #fill(node: CommitNode<L>, links: L): ReadNode<L> {
    if (node.links === undefined) {
      node.links = links;
      node.parents = links.parents.map((id) => this.#node(id));
    }
    return node as ReadNode<L>;
  }

  /** Queues a commit when it is met for the first time. */
  #enqueue(node: ReadNode<L>): void {
    if (node.isQueued || node.isPassed) return;
    node.isQueued = true;
    if (!node.isUninteresting) this.#open += 1;
    this.#queue.push(node.links.seconds, node);
  }

  #exclude(start: CommitNode<L>): void {
    if (start.isUninteresting) return;
    const stack = [start];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.isUninteresting) continue;
      node.isUninteresting = true;
      if (node.isQueued) this.#open -= 1;
      stack.push(...node.parents);
    }
  }

  #excludeParents(node: CommitNode<L>): void {
    for (const parent of node.parents) this.#exclude(parent);
  }

  #enqueueParents(node: ReadNode<L>, from: number): Promise<void> | undefined {
    const isFirstOnly = this.#rules.firstParent === true && !node.isUninteresting;
    const { parents } = node;
    const count = isFirstOnly ? Math.min(1, parents.length) : parents.length;
    for (let at = from; at < count; at++) {
      const pause = this.#reader.pace();
      if (pause !== undefined) return pause.then(() => this.#enqueueParents(node, at));
      const read = this.read(parents[at] as CommitNode<L>);
      if (read instanceof Promise) {
        return read.then((parent) => {
          this.#enqueueParent(node, parent);
          return this.#enqueueParents(node, at + 1);
        });
      }
      this.#enqueueParent(node, read);
    }
    return undefined;
  }

  #enqueueParent(node: ReadNode<L>, parent: ReadNode<L>): void {
    if (node.isUninteresting) this.#excludeParents(parent);
    this.#enqueue(parent);
  }
}
