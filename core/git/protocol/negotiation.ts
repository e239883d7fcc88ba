import { CommonAncestry } from "../graph/common-ancestry.ts";
import type { ObjectId } from "../object/object-format.ts";
import type { PackSet } from "../pack/pack-set.ts";

/** What client and server have in common, as far as it is known in this request. */
export class Negotiation {
  readonly #packs: PackSet;
  readonly #ancestry: CommonAncestry;

  constructor(packs: PackSet, wants: readonly ObjectId[], signal?: AbortSignal) {
    const read = async (id: ObjectId) => (packs.has(id) ? packs.read(id) : undefined);
    this.#packs = packs;
    this.#ancestry = new CommonAncestry(read, wants, signal ? { signal } : {});
  }

  /** What the client named and this repository has. */
  get common(): ReadonlySet<ObjectId> {
    return this.#ancestry.common;
  }

  /** Notes an object that the client has; true when it is here too. */
  offer(id: ObjectId): boolean {
    if (!this.#packs.has(id)) return false;
    this.#ancestry.add(id);
    return true;
  }

  /** Whether enough is known to make a small pack. May be asked after every `have`: work is never done twice. */
  async isReady(): Promise<boolean> {
    return this.common.size > 0 && this.#ancestry.isEverythingBased();
  }
}
