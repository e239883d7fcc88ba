import { areAllBasedOn } from "../graph/common-ancestry.ts";
import type { ObjectId } from "../object/object-format.ts";
import type { PackSet } from "../pack/pack-set.ts";

/** What client and server have in common, as far as it is known in this request. */
export class Negotiation {
  readonly common = new Set<ObjectId>();
  readonly #packs: PackSet;
  readonly #wants: readonly ObjectId[];
  #readyFor = -1;
  #isReady = false;

  constructor(packs: PackSet, wants: readonly ObjectId[]) {
    this.#packs = packs;
    this.#wants = wants;
  }

  /** Notes an object that the client has; true when it is here too. */
  offer(id: ObjectId): boolean {
    if (!this.#packs.has(id)) return false;
    this.common.add(id);
    return true;
  }

  /** Whether enough is known to make a small pack. */
  async isReady(): Promise<boolean> {
    if (this.common.size === 0) return false;
    if (this.#readyFor !== this.common.size) {
      const read = async (id: ObjectId) => (this.#packs.has(id) ? this.#packs.read(id) : undefined);
      this.#isReady = await areAllBasedOn(read, this.#wants, this.common);
      this.#readyFor = this.common.size;
    }
    return this.#isReady;
  }
}
