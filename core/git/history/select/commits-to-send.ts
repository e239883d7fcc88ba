import type { Pacer } from "../../../concurrency/pacer.ts";
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
  const [tips, not] = [wants, haves].map((places) => places.map((place) => reader.packs.idOf(place)));
  await walk.start(tips ?? [], not ?? []);
  const newestFirst = await walk.findAll();
  return { commits: parentsFirst(newestFirst.reverse()), met: walk.nodes };
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
function parentsFirst(nodes: readonly SentCommit[]): SentCommit[] {
  const ordered = new Set<SentCommit>();
  for (const start of nodes) {
    const stack = [start];
    for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
      const next = isSettled(node) ? undefined : node.parents.find((parent) => !isSettled(parent));
      if (next !== undefined) stack.push(next as SentCommit);
      else {
        stack.pop();
        ordered.add(node);
      }
    }
  }
  return [...ordered];

  function isSettled(node: CommitNode<PlacedLinks>): boolean {
    return node.isUninteresting || ordered.has(node as SentCommit);
  }
}
