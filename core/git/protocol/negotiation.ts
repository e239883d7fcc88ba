import { Pacer } from "../../concurrency/pacer.ts";
import type { ObjectId } from "../format/object-format.ts";
import { CommonAncestry } from "../history/common-ancestry.ts";
import type { PackSet } from "../pack/pack-set.ts";
import { orSilence, silence } from "./keep-alive.ts";

/**
 * The common objects of client and server, as far as this request knows them. Packs are opened when the first object is
 * offered: a client that has none gets its first bytes before.
 */
export class Negotiation {
  readonly #openPacks: () => Promise<PackSet>;
  readonly #ancestry: CommonAncestry;
  readonly #pacer: Pacer;
  #spentMs = 0;
  #opening: Promise<PackSet> | undefined;
  #packs: PackSet | undefined;
  /** Offered before the packs were open. */
  readonly #unsettled: ObjectId[] = [];

  constructor(openPacks: () => Promise<PackSet>, wants: readonly ObjectId[], signal?: AbortSignal) {
    const read = async (id: ObjectId) => {
      const packs = await openPacks();
      const place = packs.find(id);
      // Trees and files lead to no commit, and may be large.
      const leadsOn = place !== undefined && /^(?:commit|tag)$/.test(packs.typeOf(place));
      return leadsOn ? packs.read(place) : undefined;
    };
    this.#openPacks = openPacks;
    this.#pacer = new Pacer(signal);
    this.#ancestry = new CommonAncestry(read, wants, signal ? { signal } : {});
  }

  /** Objects that the client named and this repository has. */
  get common(): ReadonlySet<ObjectId> {
    return this.#ancestry.common;
  }

  /** Notes an object that the client has; true when it is here too, as far as that is known within `withinMs`. */
  async offer(id: ObjectId, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const packs = this.#packs ?? (await this.#packsWithin(withinMs));
    if (packs === undefined) {
      this.#unsettled.push(id);
      return false;
    }
    if (this.#pacer.isDue()) await this.#pacer.pause();
    if (!packs.has(id)) return false;
    this.#ancestry.add(id);
    return true;
  }

  /** The common objects of everything offered, however long finding them takes. */
  async settle(): Promise<ReadonlySet<ObjectId>> {
    for (const id of this.#unsettled.splice(0)) await this.offer(id);
    return this.common;
  }

  async #packsWithin(withinMs: number): Promise<PackSet | undefined> {
    this.#opening ??= this.#openPacks().then((packs) => {
      this.#packs = packs;
      return packs;
    });
    if (withinMs === Number.POSITIVE_INFINITY) return this.#opening;
    const leftMs = withinMs - this.#spentMs;
    if (leftMs <= 0) return undefined;
    const startedAt = performance.now();
    const packs = await orSilence(this.#opening, leftMs);
    this.#spentMs += performance.now() - startedAt;
    return packs === silence ? undefined : packs;
  }

  /**
   * Whether enough is known to make a small pack. May be asked after every `have`: work is never done twice. "Not yet"
   * when that takes longer than `withinMs`, over all calls together with those of `offer`: the client then goes on
   * asking.
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
