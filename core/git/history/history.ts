import { serviceCaller } from "../../caller/caller.ts";
import { type CallersCompute, computeFor } from "../../compute/compute.ts";
import { manySteps, Pacer } from "../../concurrency/pacer.ts";
import { unavailable } from "../../errors.ts";
import { type Commit, parseCommit } from "../format/commit.ts";
import { type ObjectFormat, type ObjectId, objectIdLength, objectIdOf } from "../format/object-format.ts";
import type { GitObject, ObjectType } from "../format/object-type.ts";
import type { PackSet, Place } from "../pack/pack-set.ts";
import { CommitGraph } from "./commit-graph/commit-graph.ts";
import { type CommitLinks, parseCommitLinks } from "./commit-links.ts";
import { ObjectReader } from "./object-reader.ts";
import { type ReadAhead, ReadAll, ReadOn } from "./read-ahead.ts";

/** Bounds on reads through one History. */
export interface HistoryOptions {
  /** Ends them. */
  readonly signal?: Pick<AbortSignal, "throwIfAborted">;
  /** Time for all of it; 25 s when not given (D-TIME). */
  readonly timeMs?: number;
  /** Lets histories end at an absent parent, instead of taking that for damage. */
  readonly allowsCuts?: boolean;
  /** Spares walks from reading commits; the first of them opens it. Not for decisions about pushes. */
  readonly graph?: () => Promise<CommitGraph>;
  /** Computes for the reader; absent: for the service itself. */
  readonly compute?: CallersCompute;
  /** Counts the memory that all the work with the objects takes, before it is taken; absent: nobody counts. */
  readonly reserveInAll?: (bytes: number) => Promise<void>;
  /** True for walks that read nearly all commits and trees: storage is read in large parts. */
  readonly readsAll?: boolean;
}

const defaultTimeMs = 25_000;
const nothing = Buffer.alloc(0);
/** Inflating so many bytes counts as a step. */
const bytesOfStep = 16 * 1024;

/** The members of a History that walks and comparisons need. */
export type HistoryReader = Pick<History, "format" | "links" | "openGraph" | "pace" | "tree">;

/** A commit and its id. */
export interface IdentifiedCommit {
  readonly id: ObjectId;
  readonly commit: Commit;
}

/**
 * The objects of a repository for one request: commits and trees by id, at once when their bytes are in memory. All
 * reads through it share one time bound, past which it throws Unavailable; a damaged or absent object throws
 * MissingObject or an Error that names it.
 */
export class History {
  readonly packs: PackSet;
  readonly format: ObjectFormat;
  /** For comparing and merging the contents of objects. */
  readonly compute: CallersCompute;
  /** Counts the memory that all the work with the objects takes: call it before more is read or made. */
  readonly reserveInAll: (bytes: number) => Promise<void>;
  readonly #reader: ObjectReader;
  readonly #pacer: Pacer;
  readonly #ahead: ReadAhead;
  readonly #signal: HistoryOptions["signal"];
  readonly #timeMs: number;
  readonly #allowsCuts: boolean;
  readonly #findGraph: (() => Promise<CommitGraph>) | undefined;
  #graph: CommitGraph = CommitGraph.empty;
  #opening: Promise<void> | undefined;
  readonly #start = performance.now();
  readonly #added = new Map<ObjectId, GitObject>();
  #addedBytes = 0;

  constructor(packs: PackSet, options: HistoryOptions = {}) {
    const { signal, timeMs = defaultTimeMs, allowsCuts = false, graph, readsAll = false } = options;
    this.compute = options.compute ?? computeFor(serviceCaller);
    this.reserveInAll = options.reserveInAll ?? (async () => undefined);
    this.packs = packs;
    this.format = packs.format;
    this.#reader = new ObjectReader(packs);
    this.#pacer = new Pacer(signal);
    this.#ahead = readsAll ? new ReadAll(packs) : new ReadOn(packs);
    this.#signal = signal;
    this.#timeMs = timeMs;
    this.#allowsCuts = allowsCuts;
    this.#findGraph = graph;
  }

  /** Milliseconds since it was made. */
  get elapsedMs(): number {
    return performance.now() - this.#start;
  }

  /**
   * Call it at every step of a long loop, and await its promise if it returns one: it lets others run. `steps` as in
   * `Pacer`.
   */
  pace(steps?: number): Promise<void> | undefined {
    return this.#pacer.isDue(steps) ? this.#pause() : undefined;
  }

  readonly #paceOfReads = (steps: number) => this.pace(steps);

  async #pause(): Promise<void> {
    this.#checkTime();
    await this.#pacer.pause();
  }

  #checkTime(): void {
    this.#signal?.throwIfAborted();
    if (this.elapsedMs > this.#timeMs) {
      throw unavailable(
        `reading the history takes longer than ${this.#timeMs} ms here: ask for a smaller part of it`,
      );
    }
  }

  /** Makes an object readable here alone, until it is packed and pushed; answers its id. */
  add(type: ObjectType, data: Buffer): ObjectId {
    const id = objectIdOf(this.format, type, data);
    if (this.packs.has(id) || this.#added.has(id)) return id;
    this.#added.set(id, { type, data });
    this.#addedBytes += data.length;
    return id;
  }

  /** The bytes of the objects that were added. */
  get addedBytes(): number {
    return this.#addedBytes;
  }

  /** An object that was added and that no pack holds. */
  addedObject(id: ObjectId): GitObject | undefined {
    return this.#added.get(id);
  }

  /** For walks, before their first step: from then on `links` looks into the commit graph, if there is one. */
  openGraph(): Promise<void> | undefined {
    this.#opening ??= this.#findGraph?.().then((graph) => {
      this.#graph = graph;
    });
    return this.#opening;
  }

  /** The commit graph, once it is open; empty when histories may be cut, which it does not know. */
  get graph(): CommitGraph {
    return this.#allowsCuts ? CommitGraph.empty : this.#graph;
  }

  /** The links of a commit. Throws when the object is no commit. */
  links(id: ObjectId): CommitLinks | Promise<CommitLinks> {
    const added = this.#added.get(id);
    if (added !== undefined) return this.#linksOf(id, added);
    const known = this.#graph.find(id);
    if (known !== undefined) return this.#withoutAbsent(known);
    const place = this.#reader.place(id);
    const cached = this.packs.readCached(place);
    if (cached !== undefined) return this.#linksOf(id, cached);
    return this.#fetch(place).then((object) => this.#linksOf(id, object));
  }

  #linksOf(id: ObjectId, { type, data }: GitObject): CommitLinks | Promise<CommitLinks> {
    this.#pacer.note(data.length / bytesOfStep);
    if (type !== "commit") throw notCommit(id, type);
    return this.#withoutAbsent(parseCommitLinks(data));
  }

  #withoutAbsent(links: CommitLinks): CommitLinks | Promise<CommitLinks> {
    const { tree, seconds, parents } = links;
    this.#pacer.note(parents.length);
    if (!this.#allowsCuts) return links;
    if (parents.length > manySteps) return this.#withoutAbsentPaced(links);
    if (parents.every((parent) => this.has(parent))) return links;
    return { tree, seconds, parents: parents.filter((parent) => this.has(parent)) };
  }

  async #withoutAbsentPaced({ tree, seconds, parents }: CommitLinks): Promise<CommitLinks> {
    const present: ObjectId[] = [];
    for (const parent of parents) {
      const pause = this.pace();
      if (pause !== undefined) await pause;
      if (this.has(parent)) present.push(parent);
    }
    return { tree, seconds, parents: present };
  }

  /** A tree's bytes; none for the empty tree. Throws when the object is no tree. */
  tree(id: ObjectId): Buffer | Promise<Buffer> {
    const added = this.#added.get(id);
    if (added?.type === "tree") return added.data;
    const place = this.#reader.treePlace(id);
    if (place === undefined) return nothing;
    const cached = this.packs.readCached(place);
    if (cached !== undefined) {
      this.#pacer.note(cached.data.length / bytesOfStep);
      return treeData(id, cached);
    }
    return this.#fetch(place).then((object) => treeData(id, object));
  }

  async #fetch(place: Place): Promise<GitObject> {
    this.#checkTime();
    await this.#ahead.fetch(place);
    return this.#paced(await this.packs.read(place, this.#paceOfReads));
  }

  /** Others run before the caller goes on with a large object: many wait for the same bytes, and all get them at once. */
  async #paced(object: GitObject): Promise<GitObject> {
    await this.pace(1 + object.data.length / bytesOfStep);
    return object;
  }

  /** A whole object. Throws MissingObject. */
  async object(id: ObjectId): Promise<GitObject> {
    this.#checkTime();
    const added = this.#added.get(id);
    return added ?? this.#paced(await this.#reader.read(this.#reader.place(id), this.#paceOfReads));
  }

  /** An object's content in pieces; a slow reader has all the time. */
  stream(place: Place): AsyncGenerator<Buffer> {
    return this.packs.stream(place, (steps) => (this.#pacer.isDue(steps) ? this.#pacer.pause() : undefined));
  }

  /** A parsed commit. Throws when the object is no commit. */
  async commit(id: ObjectId): Promise<IdentifiedCommit> {
    const { type, data } = await this.object(id);
    if (type !== "commit") throw notCommit(id, type);
    return { id, commit: parseCommit(data) };
  }

  /** Some parsed commits in order, with neighbors fetched together. */
  async commits(ids: readonly ObjectId[]): Promise<IdentifiedCommit[]> {
    await this.fetch(ids);
    const commits: IdentifiedCommit[] = [];
    for (const id of ids) {
      commits.push(await this.commit(id));
      await this.pace(manySteps);
    }
    return commits;
  }

  /** Brings objects into memory that are about to be read one by one. Throws MissingObject. */
  async fetch(ids: readonly ObjectId[]): Promise<void> {
    this.#checkTime();
    const missing: Place[] = [];
    for (const id of ids) {
      const pause = this.pace();
      if (pause !== undefined) await pause;
      const place = this.#added.has(id) ? undefined : this.#reader.place(id);
      if (place !== undefined && this.packs.readCached(place) === undefined) missing.push(place);
    }
    if (missing.length > 0) await this.packs.readMany(missing, this.#paceOfReads);
  }

  /** Inflated size of an object, without reading it. Throws MissingObject. */
  sizeOf(id: ObjectId): number {
    return this.#added.get(id)?.data.length ?? this.packs.sizeOf(this.#reader.place(id));
  }

  /** Bytes of a tree, without reading it; 0 for the empty one. Throws MissingObject. */
  treeSize(id: ObjectId): number {
    const place = this.#added.has(id) ? undefined : this.#reader.treePlace(id);
    return place === undefined ? (this.#added.get(id)?.data.length ?? 0) : this.packs.sizeOf(place);
  }

  /** Hexadecimal digits of an id. */
  get idLength(): number {
    return objectIdLength(this.format);
  }

  has(id: ObjectId): boolean {
    return this.#added.has(id) || this.packs.has(id);
  }
}

function treeData(id: ObjectId, { type, data }: GitObject): Buffer {
  if (type !== "tree") throw new Error(`object ${id} is a ${type}, not a tree`);
  return data;
}

const notCommit = (id: ObjectId, type: string) => new Error(`object ${id} is a ${type}, not a commit`);
