import { CommonAncestry } from "../graph/common-ancestry.ts";
import type { ObjectId } from "../object/object-format.ts";
import type { PackSet } from "../pack/pack-set.ts";

/**
 * What client and server have in common, as far as it is known in this request. Packs are opened when the first object
 * is offered: a client that has none gets its first bytes before.
 */
export class Negotiation {
  readonly #openPacks: () => Promise<PackSet>;
  readonly #ancestry: CommonAncestry;
  #spentMs = 0;

  constructor(openPacks: () => Promise<PackSet>, wants: readonly ObjectId[], signal?: AbortSignal) {
    const read = async (id: ObjectId) => {
      const packs = await openPacks();
      const place = packs.find(id);
      // Trees and files lead to no commit, and may be large.
      const leadsOn = place !== undefined && /^(?:commit|tag)$/.test(packs.typeOf(place));
      return leadsOn ? packs.read(place) : undefined;
    };
    this.#openPacks = openPacks;
    this.#ancestry = new CommonAncestry(read, wants, signal ? { signal } : {});
  }

  /** What the client named and this repository has. */
  get common(): ReadonlySet<ObjectId> {
    return this.#ancestry.common;
  }

  /** Notes an object that the client has; true when it is here too. */
  async offer(id: ObjectId): Promise<boolean> {
    if (!(await this.#openPacks()).has(id)) return false;
    this.#ancestry.add(id);
    return true;
  }

  /**
   * Whether enough is known to make a small pack. May be asked after every `have`: work is never done twice. "Not yet"
   * where that takes longer than `withinMs`, all times that it is asked together: the client goes on asking then.
   */
  async isReady(withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const leftMs = withinMs - this.#spentMs;
    if (this.common.size === 0 || leftMs <= 0) return false;
    const startedAt = performance.now();
    try {
      return await this.#ancestry.isEverythingBased(startedAt + leftMs);
    } finally {
      this.#spentMs += performance.now() - startedAt;
    }
  }
}
