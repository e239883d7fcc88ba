import { manySteps, Pacer } from "../../../concurrency/pacer.ts";
import { type ObjectId, objectIdBytes } from "../../format/object-format.ts";
import type { GitObject } from "../../format/object-type.ts";
import { type PackSet, type Place, packOfPlace, positionOfPlace } from "../../pack/pack-set.ts";
import { nextLinks, parseCommitLinks } from "../commit-links.ts";
import { DateQueue } from "../date-queue.ts";
import { treeLinks } from "../tree-links.ts";

/** Which of some objects were not met. `isCertain` is false when the bound ended the search. */
export interface Unreached {
  readonly places: ReadonlySet<Place>;
  readonly isCertain: boolean;
}

interface PendingCommit {
  readonly parents: readonly ObjectId[];
  readonly tree: ObjectId | undefined;
}

const stepsInTurn = 256;

/**
 * The objects that some refs lead to, found as far as anybody asks: commits newest first, and the tree of each. The
 * walk continues where it stopped, so all requests to one version of a repository together read each commit and tree
 * once. Requests take turns, and each brings the packs: a walk that waits for the next one holds none of their side
 * files.
 */
export class ReachableObjects {
  readonly #packIds: readonly string[];
  readonly #idBytes: number;
  /** One bit for each object that was met, by pack. */
  readonly #met: readonly Uint8Array[];
  readonly #commits = new DateQueue<PendingCommit>();
  /** Trees met and not read yet: those of the newest commits last. */
  readonly #trees: Place[] = [];
  readonly #tips: ObjectId[];
  #turn: Promise<void> = Promise.resolve();
  /** Without anybody's signal: a walk that others wait for goes on. */
  readonly #pacer = new Pacer();
  /** Set when reading failed: the walk can't continue. */
  isBroken = false;

  constructor(packs: PackSet, tips: Iterable<ObjectId>) {
    this.#packIds = packs.packs.map(({ entry }) => entry.id);
    this.#idBytes = objectIdBytes(packs.format);
    this.#met = packs.packs.map(({ side }) => new Uint8Array(Math.ceil(side.count / 8)));
    this.#tips = [...tips];
  }

  /** Whether places in `packs` are places in the set that this walk began with. */
  isOf(packs: PackSet): boolean {
    return (
      this.#packIds.length === packs.packs.length &&
      this.#packIds.every((id, at) => id === packs.packs[at]?.entry.id)
    );
  }

  /** Which of some objects of `packs` (see `isOf`) were not met, after looking at no more than `most` further ones. */
  async findUnreached(
    packs: PackSet,
    wanted: readonly Place[],
    { most, signal }: { most: number; signal?: AbortSignal | undefined },
  ): Promise<Unreached> {
    signal?.throwIfAborted();
    const pacer = new Pacer(signal);
    const unmet = new Set<Place>();
    let looked = 0;
    // For commits no tree is read, so they come first.
    for (const areTrees of [false, true]) {
      const missing = wanted.filter((place) => isInTrees(packs, place) === areTrees);
      for (;;) {
        while (missing.length > 0 && this.#isMet(missing.at(-1) as Place)) missing.pop();
        if (missing.length === 0 || this.#isOver(areTrees)) break;
        if (looked >= most) return { places: new Set([...unmet, ...missing]), isCertain: false };
        await this.#inTurn(() => this.#walk(packs, areTrees));
        looked += stepsInTurn;
        await pacer.pause();
      }
      for (const place of missing) if (!this.#isMet(place)) unmet.add(place);
    }
    return { places: unmet, isCertain: true };
  }

  /** Whether nothing is left to look at; trees only when they matter. */
  #isOver(withTrees: boolean): boolean {
    return this.#tips.length === 0 && this.#commits.size === 0 && !(withTrees && this.#trees.length > 0);
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const before = this.#turn;
    let done: () => void = () => undefined;
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    try {
      if (this.isBroken) throw new Error("reading failed in a request beside this one");
      await work();
    } catch (error) {
      this.isBroken = true;
      throw error;
    } finally {
      done();
    }
  }

  async #walk(packs: PackSet, wantsTrees: boolean): Promise<void> {
    for (const tip of this.#tips.splice(0)) {
      if (this.#pacer.isDue(manySteps)) await this.#pacer.pause();
      await this.#visit(packs, tip);
    }
    for (let step = 0; step < stepsInTurn; step++) {
      if (this.#pacer.isDue()) await this.#pacer.pause();
      const tree = wantsTrees ? this.#trees.pop() : undefined;
      if (tree !== undefined) {
        const read = readFrom(packs, tree);
        await this.#readTree(packs, read instanceof Promise ? await read : read);
        continue;
      }
      const commit = this.#commits.pop();
      if (commit === undefined) return;
      for (const parent of commit.parents) {
        if (this.#pacer.isDue()) await this.#pacer.pause();
        await this.#visit(packs, parent);
      }
      if (commit.tree !== undefined) this.#meetTree(packs, Buffer.from(commit.tree, "hex"));
    }
  }

  /** Visits a commit, or the object that a ref names. */
  async #visit(packs: PackSet, id: ObjectId): Promise<void> {
    const place = packs.find(id);
    if (place === undefined || !this.#meet(place)) return;
    const type = packs.typeOf(place);
    if (type === "tree") this.#trees.push(place);
    if (type === "tree" || type === "blob") return;
    const object = await readFrom(packs, place);
    const links = nextLinks(object);
    if (links === undefined) return;
    const tree = type === "commit" ? parseCommitLinks(object.data).tree : undefined;
    this.#commits.push(links.seconds, { parents: links.parents, tree });
  }

  async #readTree(packs: PackSet, { data }: GitObject): Promise<void> {
    for (const { kind, id } of treeLinks(data, this.#idBytes)) {
      if (this.#pacer.isDue()) await this.#pacer.pause();
      if (kind === "tree") this.#meetTree(packs, id);
      else if (kind === "blob") {
        const place = packs.find(id);
        if (place !== undefined) this.#meet(place);
      }
    }
  }

  #meetTree(packs: PackSet, id: Uint8Array): void {
    const place = packs.find(id);
    if (place !== undefined && this.#meet(place)) this.#trees.push(place);
  }

  #isMet(place: Place): boolean {
    const position = positionOfPlace(place);
    return ((this.#met[packOfPlace(place)]?.[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
  }

  /** Marks an object; false when it was marked before. */
  #meet(place: Place): boolean {
    if (this.#isMet(place)) return false;
    const bits = this.#met[packOfPlace(place)] as Uint8Array;
    const position = positionOfPlace(place);
    bits[position >> 3] = (bits[position >> 3] as number) | (1 << (position & 7));
    return true;
  }
}

function isInTrees(packs: PackSet, place: Place): boolean {
  const type = packs.typeOf(place);
  return type === "tree" || type === "blob";
}

const readFrom = (packs: PackSet, place: Place): GitObject | Promise<GitObject> =>
  packs.readCached(place) ?? packs.read(place);
