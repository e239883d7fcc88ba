import { mapPaced, type Pacer } from "../../../concurrency/pacer.ts";
import type { ObjectId } from "../../format/object-format.ts";
import type { GitObject } from "../../format/object-type.ts";
import type { Place } from "../../pack/pack-set.ts";
import { type CommitLinks, parseCommitLinks } from "../commit-links.ts";
import { type CommitNode, type CommitReader, CommitWalk, type ReadNode } from "../commit-walk.ts";
import type { ObjectReader } from "../object-reader.ts";

/** A commit's links, and its place in the packs. */
export interface PlacedLinks extends CommitLinks {
  readonly place: Place;
}

/** A commit to send. Its parents are read, too. */
export type SentCommit = ReadNode<PlacedLinks>;

/** The commits to send, each after its parents, and every commit that the walk has met, by id. */
export interface CommitsToSend {
  readonly commits: readonly SentCommit[];
  readonly met: ReadonlyMap<ObjectId, CommitNode<PlacedLinks>>;
}

/**
 * Commits that `wants` lead to and `haves` don't; some of those that `haves` lead to are marked on the way. A commit
 * among `cuts` leads nowhere.
 */
export async function commitsToSend(
  reader: ObjectReader,
  wants: readonly Place[],
  haves: readonly Place[],
  pacer: Pacer,
  cuts: ReadonlySet<ObjectId> = new Set(),
): Promise<CommitsToSend> {
  const walk = new CommitWalk(new PackedCommits(reader, pacer, cuts));
  const idsOf = (places: readonly Place[]) => mapPaced(places, (place) => reader.packs.idOf(place), pacer);
  await walk.start(await idsOf(wants), await idsOf(haves));
  const newestFirst = await walk.findAll();
  return { commits: await parentsFirst(newestFirst.reverse(), pacer), met: walk.nodes };
}

/** Reads from the packs alone: what is sent never depends on a commit graph. */
class PackedCommits implements CommitReader<PlacedLinks> {
  readonly #reader: ObjectReader;
  readonly #pacer: Pacer;
  readonly #cuts: ReadonlySet<ObjectId>;

  constructor(reader: ObjectReader, pacer: Pacer, cuts: ReadonlySet<ObjectId>) {
    this.#reader = reader;
    this.#pacer = pacer;
    this.#cuts = cuts;
  }

  links(id: ObjectId): PlacedLinks | Promise<PlacedLinks> {
    const place = this.#reader.place(id);
    const object = this.#reader.read(place);
    if (object instanceof Promise) return object.then((read) => this.#linksOf(id, place, read));
    return this.#linksOf(id, place, object);
  }

  #linksOf(id: ObjectId, place: Place, { data }: GitObject): PlacedLinks {
    const { tree, parents, seconds } = parseCommitLinks(data);
    this.#pacer.note(parents.length);
    return { place, tree, parents: this.#cuts.has(id) ? [] : parents, seconds };
  }

  pace(): Promise<void> | undefined {
    return this.#pacer.isDue() ? this.#pacer.pause() : undefined;
  }
}

/** Commits about oldest first, put parents before children whatever their dates say. No commit to send is left out. */
async function parentsFirst(nodes: readonly SentCommit[], pacer: Pacer): Promise<SentCommit[]> {
  const ordered = new Set<SentCommit>();
  for (const start of nodes) {
    // Of each commit how many parents are settled: looking at them again and again takes their number squared.
    const stack = [{ node: start, settled: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (pacer.isDue()) await pacer.pause();
      const { node } = top;
      const parent = isSettled(node) ? undefined : node.parents[top.settled++];
      if (parent === undefined) {
        stack.pop();
        ordered.add(node);
      } else if (!isSettled(parent)) stack.push({ node: parent as SentCommit, settled: 0 });
    }
  }
  return [...ordered];

  function isSettled(node: CommitNode<PlacedLinks>): boolean {
    return node.isUninteresting || ordered.has(node as SentCommit);
  }
}
