import type { Pacer } from "../../../pacer.ts";
import type { ObjectId } from "../../format/object-format.ts";
import type { Place } from "../../pack/pack-set.ts";
import { parseCommitLinks } from "../commit-links.ts";
import { DateQueue } from "../date-queue.ts";
import type { ObjectReader } from "../object-reader.ts";

/** A commit in the walk. */
export interface CommitNode {
  readonly place: Place;
  readonly tree: ObjectId;
  readonly parentIds: readonly ObjectId[];
  readonly seconds: number;
  /** Filled once the walk has passed the commit. */
  parents: readonly CommitNode[] | undefined;
  /** The other side has it, and all that it leads to. */
  isUninteresting: boolean;
}

/** The commits to send, each after its parents, and every commit that the walk has seen. */
export interface WalkedCommits {
  readonly interesting: readonly CommitNode[];
  readonly seen: ReadonlyMap<Place, CommitNode>;
}

/**
 * Commits that `wants` lead to and `haves` don't; a walk newest first that paints ancestors of `haves`. A commit among
 * `cuts` leads nowhere.
 */
export async function walkCommits(
  reader: ObjectReader,
  wants: readonly Place[],
  haves: readonly Place[],
  pacer: Pacer,
  cuts: ReadonlySet<Place> = new Set(),
): Promise<WalkedCommits> {
  return new CommitWalk(reader, pacer, cuts).run(wants, haves);
}

/**
 * How many commits of the other side are looked at beyond the oldest one to send: clocks go wrong, and ancestors are
 * found late.
 */
const mostSlack = 5;

class CommitWalk {
  readonly #reader: ObjectReader;
  readonly #pacer: Pacer;
  readonly #cuts: ReadonlySet<Place>;
  readonly #seen = new Map<Place, CommitNode>();
  readonly #queue = new DateQueue<CommitNode>();
  /** The number of queued commits not known to be on the other side. */
  #open = 0;

  constructor(reader: ObjectReader, pacer: Pacer, cuts: ReadonlySet<Place>) {
    this.#reader = reader;
    this.#pacer = pacer;
    this.#cuts = cuts;
  }

  async run(wants: readonly Place[], haves: readonly Place[]): Promise<WalkedCommits> {
    for (const place of haves) this.#paint(await this.#visit(place));
    for (const place of wants) await this.#visit(place);
    const passed: CommitNode[] = [];
    let oldest = Number.POSITIVE_INFINITY;
    let slack = mostSlack;
    for (let node = this.#queue.pop(); node !== undefined; node = this.#queue.pop()) {
      if (!node.isUninteresting) {
        this.#open -= 1;
        passed.push(node);
        oldest = Math.min(oldest, node.seconds);
      } else if (this.#open === 0) {
        slack = node.seconds >= oldest ? mostSlack : slack - 1;
        if (slack < 0) break;
      }
      await this.#pass(node);
      if (this.#pacer.isDue()) await this.#pacer.pause();
    }
    return { interesting: parentsFirst(passed.reverse()), seen: this.#seen };
  }

  async #pass(node: CommitNode): Promise<void> {
    const parents: CommitNode[] = [];
    for (const id of node.parentIds) {
      if (this.#pacer.isDue()) await this.#pacer.pause();
      const visited = this.#visit(this.#reader.place(id));
      parents.push(visited instanceof Promise ? await visited : visited);
    }
    node.parents = parents;
    if (node.isUninteresting) for (const parent of parents) this.#paint(parent);
  }

  /** The node of a commit, queued when it is met for the first time. */
  #visit(place: Place): CommitNode | Promise<CommitNode> {
    const known = this.#seen.get(place);
    if (known !== undefined) return known;
    const object = this.#reader.read(place);
    if (object instanceof Promise) return object.then(({ data }) => this.#add(place, data));
    return this.#add(place, object.data);
  }

  #add(place: Place, data: Buffer): CommitNode {
    const { tree, parents, seconds } = parseCommitLinks(data);
    const parentIds = this.#cuts.has(place) ? [] : parents;
    const node = { place, tree, parentIds, seconds, parents: undefined, isUninteresting: false };
    this.#pacer.note(parentIds.length);
    this.#seen.set(place, node);
    this.#queue.push(seconds, node);
    this.#open += 1;
    return node;
  }

  /** Marks a commit and its known ancestors as being on the other side. */
  #paint(start: CommitNode): void {
    const stack = [start];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.isUninteresting) continue;
      node.isUninteresting = true;
      if (node.parents === undefined) this.#open -= 1;
      else stack.push(...node.parents);
    }
  }
}

/**
 * The interesting ones of some commits, parents before children whatever their dates say. `nodes` holds every
 * interesting parent of its members, about oldest first.
 */
function parentsFirst(nodes: readonly CommitNode[]): CommitNode[] {
  const ordered = new Set<CommitNode>();
  for (const start of nodes) {
    const stack = [start];
    for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
      const next = isSettled(node) ? undefined : node.parents?.find((parent) => !isSettled(parent));
      if (next !== undefined) stack.push(next);
      else {
        stack.pop();
        if (!node.isUninteresting) ordered.add(node);
      }
    }
  }
  return [...ordered];

  function isSettled(node: CommitNode): boolean {
    return node.isUninteresting || ordered.has(node);
  }
}
