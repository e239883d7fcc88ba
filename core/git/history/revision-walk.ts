import type { ObjectId } from "../format/object-format.ts";
import type { CommitLinks } from "./commit-links.ts";
import { DateQueue } from "./date-queue.ts";
import type { HistoryReader } from "./history.ts";
import { PathFilter } from "./path-filter.ts";

/** The commits of a walk: those that `tips` lead to and `not` doesn't. */
export interface WalkRequest {
  readonly tips: readonly ObjectId[];
  readonly not?: readonly ObjectId[];
  /** Only commits that changed something at these paths (raw bytes, latin1), simplified as git does by default. */
  readonly paths?: readonly string[];
  /** Of merges follow the first parent alone. */
  readonly firstParent?: boolean;
  /** Committer dates, in seconds, both included. */
  readonly since?: number;
  readonly until?: number;
}

/** A commit in a walk. */
export interface WalkedCommit {
  readonly id: ObjectId;
  readonly links: CommitLinks;
}

interface Node {
  readonly id: ObjectId;
  links: CommitLinks | undefined;
  /** Known once read; only the one to follow after simplification. */
  parents: readonly Node[];
  isQueued: boolean;
  isPassed: boolean;
  isUninteresting: boolean;
  /** Named in `not` itself: still counts as a parent to compare with. */
  isBottom: boolean;
  /** Changed nothing at the paths. */
  isSame: boolean;
}

type ReadNode = Node & { readonly links: CommitLinks };

/** How a commit differs from the parents that were compared so far. */
interface ComparedParents {
  count: number;
  hasRelevant: boolean;
  relevantDiffers: boolean;
  otherDiffers: boolean;
}

/**
 * How many uninteresting commits are looked at beyond the oldest interesting one: clocks go wrong, ancestors are found
 * late.
 */
const mostSlack = 5;

/** Returns commits newest first by committer date, in the order of `git log`. Bounded by its History. */
export class RevisionWalk {
  readonly #history: HistoryReader;
  readonly #request: WalkRequest;
  readonly #filter: PathFilter | undefined;
  readonly #nodes = new Map<ObjectId, Node>();
  readonly #queue = new DateQueue<ReadNode>();
  /** Queued commits that are not uninteresting. */
  #open = 0;
  #started = false;
  /** All commits, when some are excluded: only the whole walk says which. */
  #limited: ReadNode[] | undefined;
  #at = 0;

  constructor(history: HistoryReader, request: WalkRequest) {
    this.#history = history;
    this.#request = request;
    if (request.paths !== undefined && request.paths.length > 0) {
      this.#filter = new PathFilter(history, request.paths);
    }
  }

  /** The next commit; undefined after the last. */
  async next(): Promise<WalkedCommit | undefined> {
    if (!this.#started) await this.#start();
    if (this.#limited !== undefined) return this.#nextLimited(this.#limited);
    const { since = Number.NEGATIVE_INFINITY } = this.#request;
    for (let node = this.#queue.pop(); node !== undefined; node = this.#queue.pop()) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      if (node.links.seconds < since) continue;
      const passing = this.#pass(node);
      if (passing !== undefined) await passing;
      if (this.#isShown(node)) return node;
    }
    return undefined;
  }

  #nextLimited(all: readonly ReadNode[]): WalkedCommit | undefined {
    while (this.#at < all.length) {
      const node = all[this.#at++] as ReadNode;
      if (this.#isShown(node)) return node;
    }
    return undefined;
  }

  async #start(): Promise<void> {
    this.#started = true;
    await this.#history.openGraph();
    const { tips, not = [] } = this.#request;
    for (const id of not) {
      const node = this.#node(id);
      node.isBottom = true;
      await this.#read(node);
      this.#exclude(node);
    }
    for (const id of [...tips, ...not]) {
      const node = await this.#read(this.#node(id));
      this.#enqueue(node);
    }
    if (not.length > 0) this.#limited = await this.#limit();
  }

  async #limit(): Promise<ReadNode[]> {
    const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = this.#request;
    const found: ReadNode[] = [];
    let oldest = Number.POSITIVE_INFINITY;
    let slack = mostSlack;
    for (let node = this.#pop(); node !== undefined; node = this.#pop()) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      if (node.links.seconds < since) node.isUninteresting = true;
      const passing = this.#pass(node);
      if (passing !== undefined) await passing;
      if (node.isUninteresting) {
        this.#excludeParents(node);
        const newest = this.#queue.newest;
        if (newest === undefined) break;
        slack = oldest <= newest || this.#open > 0 ? mostSlack : slack - 1;
        if (slack <= 0) break;
      } else if (node.links.seconds <= until) {
        oldest = node.links.seconds;
        found.push(node);
      }
    }
    return found;
  }

  #pop(): ReadNode | undefined {
    const node = this.#queue.pop();
    if (node !== undefined) {
      node.isQueued = false;
      if (!node.isUninteresting) this.#open -= 1;
    }
    return node;
  }

  #isShown(node: ReadNode): boolean {
    if (node.isUninteresting || node.isSame) return false;
    return node.links.seconds <= (this.#request.until ?? Number.POSITIVE_INFINITY);
  }

  #node(id: ObjectId): Node {
    let node = this.#nodes.get(id);
    if (node === undefined) {
      node = {
        ...{ id, links: undefined, parents: [], isQueued: false, isPassed: false },
        ...{ isUninteresting: false, isBottom: false, isSame: false },
      };
      this.#nodes.set(id, node);
    }
    return node;
  }

  #read(node: Node): ReadNode | Promise<ReadNode> {
    if (node.links !== undefined) return node as ReadNode;
    const links = this.#history.links(node.id);
    if (links instanceof Promise) return links.then((read) => this.#fill(node, read));
    return this.#fill(node, links);
  }

  #fill(node: Node, links: CommitLinks): ReadNode {
    if (node.links === undefined) {
      node.links = links;
      node.parents = links.parents.map((id) => this.#node(id));
    }
    return node as ReadNode;
  }

  /** Queues a commit when it is met for the first time. */
  #enqueue(node: ReadNode): void {
    if (node.isQueued || node.isPassed) return;
    node.isQueued = true;
    if (!node.isUninteresting) this.#open += 1;
    this.#queue.push(node.links.seconds, node);
  }

  #exclude(start: Node): void {
    const stack = [start];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.isUninteresting) continue;
      node.isUninteresting = true;
      if (node.isQueued) this.#open -= 1;
      stack.push(...node.parents);
    }
  }

  #excludeParents(node: Node): void {
    for (const parent of node.parents) this.#exclude(parent);
  }

  /** Simplifies a commit's parents and queues those that are to be followed. */
  #pass(node: ReadNode): Promise<void> | undefined {
    if (node.isPassed) return undefined;
    node.isPassed = true;
    node.isQueued = false;
    if (node.isUninteresting) this.#excludeParents(node);
    else if (this.#filter !== undefined) {
      const simplifying = this.#simplify(node, this.#filter);
      if (simplifying instanceof Promise) return simplifying.then(() => this.#enqueueParents(node, 0));
    }
    return this.#enqueueParents(node, 0);
  }

  #enqueueParents(node: ReadNode, from: number): Promise<void> | undefined {
    const isFirstOnly = this.#request.firstParent === true && !node.isUninteresting;
    const { parents } = node;
    const count = isFirstOnly ? Math.min(1, parents.length) : parents.length;
    for (let at = from; at < count; at++) {
      const pause = this.#history.pace();
      if (pause !== undefined) return pause.then(() => this.#enqueueParents(node, at));
      const read = this.#read(parents[at] as Node);
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

  #enqueueParent(node: ReadNode, parent: ReadNode): void {
    if (node.isUninteresting) this.#excludeParents(parent);
    this.#enqueue(parent);
  }

  /**
   * Compares a commit with its parents at the paths. An equal parent is the only one followed, unless it is excluded; a
   * commit that differs from every parent that counts is shown.
   */
  #simplify(
    node: ReadNode,
    filter: PathFilter,
    compared: ComparedParents = { count: 0, hasRelevant: false, relevantDiffers: false, otherDiffers: false },
  ): undefined | Promise<undefined> {
    const again = () => this.#simplify(node, filter, compared);
    if (filter.isUnchanged(node.links)) {
      const [first] = node.parents;
      if (first === undefined || !first.isUninteresting || first.isBottom) {
        node.parents = first === undefined ? [] : [first];
        node.isSame = true;
        return undefined;
      }
    }
    const own = filter.fingerprint(node.links.tree);
    if (own instanceof Promise) return own.then(again);
    if (node.parents.length === 0) {
      node.isSame = own === "";
      return undefined;
    }
    const count = this.#request.firstParent === true ? 1 : node.parents.length;
    for (; compared.count < count; compared.count++) {
      const pause = this.#history.pace();
      if (pause !== undefined) return pause.then(again);
      const parent = this.#read(node.parents[compared.count] as Node);
      if (parent instanceof Promise) return parent.then(again);
      const theirs = filter.fingerprint(parent.links.tree);
      if (theirs instanceof Promise) return theirs.then(again);
      const isRelevant = !parent.isUninteresting || parent.isBottom;
      compared.hasRelevant ||= isRelevant;
      if (theirs === own) {
        if (!isRelevant) continue;
        node.parents = [parent];
        node.isSame = true;
        return undefined;
      }
      if (isRelevant) compared.relevantDiffers = true;
      else compared.otherDiffers = true;
    }
    node.isSame = compared.hasRelevant ? !compared.relevantDiffers : !compared.otherDiffers;
    return undefined;
  }
}
