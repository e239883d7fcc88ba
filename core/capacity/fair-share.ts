/** The amount of something that callers hold for a while: places, bytes of memory, bytes of disk. */
export interface ShareBounds {
  readonly most: number;
  /** The most of one caller. A caller who holds nothing gets what they ask for all the same, when there is room. */
  readonly mostPerCaller: number;
  /** How long another one waits: less than fronts wait for a first byte. */
  readonly patienceMs: number;
  /** A holder that advances by less than `leastBytes` in this time gives way when others need what it holds. */
  readonly slowMs: number;
  readonly leastBytes: number;
}

/** The patience and the pace when nobody names others. */
export const defaultShareBounds = { patienceMs: 10_000, slowMs: 30_000, leastBytes: 480 * 2 ** 10 } as const;

/** Why there is none: this caller holds all that they may, or others hold the rest. */
export type Shortage = "own" | "others";

interface Waiting {
  readonly caller: string;
  readonly amount: number;
  readonly enter: (share: Share) => void;
}

const longestPollMs = 1_000;

/**
 * Shares something bounded among callers (`core/caller/caller.ts`), in this process. Others wait in line: the one who would
 * hold least comes first, and one alone never takes everything. A holder that depends on its client's pace says how it
 * gives way; while it is slow, it keeps its share only as long as nobody needs it.
 */
export class FairShare {
  readonly bounds: ShareBounds;
  readonly #heldBy = new Map<string, number>();
  readonly #mayGiveWay = new Set<Share>();
  readonly #line: Waiting[] = [];
  #held = 0;
  #peak = 0;

  constructor(bounds: Pick<ShareBounds, "most" | "mostPerCaller"> & Partial<ShareBounds>) {
    this.bounds = { ...defaultShareBounds, ...bounds };
  }

  get held(): number {
    return this.#held;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#line.length;
  }

  /** The most that was ever held at a time. */
  get peak(): number {
    return this.#peak;
  }

  /** A share, in the caller's turn, or why there is none in time. Throws the signal's reason when it has to wait. */
  async take(caller: string, wanted: number, signalOf?: () => AbortSignal): Promise<Share | Shortage> {
    const { most, patienceMs, slowMs } = this.bounds;
    const amount = Math.min(wanted, most);
    let entered: Share | undefined;
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const enter = (share: Share) => {
      entered = share;
      wake();
    };
    this.#line.push({ caller, amount, enter });
    this.#letIn();
    if (entered !== undefined) return entered;
    const signal = signalOf?.();
    if (signal?.aborted !== true) {
      const poll = setInterval(() => this.#letIn(), Math.min(longestPollMs, slowMs));
      const patience = setTimeout(wake, patienceMs);
      signal?.addEventListener("abort", wake);
      await woken;
      clearInterval(poll);
      clearTimeout(patience);
      signal?.removeEventListener("abort", wake);
    }
    const place = this.#line.findIndex((one) => one.enter === enter);
    if (place >= 0) this.#line.splice(place, 1);
    const share = entered as Share | undefined;
    if (signal?.aborted === true) share?.release();
    signal?.throwIfAborted();
    return share ?? this.#shortageFor(caller, amount);
  }

  /** A share of nothing yet, to grow. */
  open(caller: string): Share {
    return this.#enter(caller, 0);
  }

  /** At once or not at all. */
  tryTake(caller: string, wanted: number): Share | Shortage {
    const amount = Math.min(wanted, this.bounds.most);
    const hasRoom = this.#mayHold(caller, amount) || this.#freeOwn(caller, amount);
    if (!hasRoom || !this.#hasRoom(amount)) return this.#shortageFor(caller, amount);
    return this.#enter(caller, amount);
  }

  #shortageFor = (caller: string, amount: number): Shortage =>
    this.#mayHold(caller, amount) ? "others" : "own";

  #mayHold(caller: string, amount: number): boolean {
    const own = this.#heldBy.get(caller) ?? 0;
    return own === 0 || own + amount <= this.bounds.mostPerCaller;
  }

  #letIn(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (!this.#hasRoom(next.amount)) return;
      this.#line.splice(this.#line.indexOf(next), 1);
      next.enter(this.#enter(next.caller, next.amount));
    }
  }

  /** Of those that may come in, the one that would hold least and has waited longest. */
  #next(): Waiting | undefined {
    const wouldHold = ({ caller, amount }: Waiting) => (this.#heldBy.get(caller) ?? 0) + amount;
    return this.#line
      .filter(({ caller, amount }) => this.#mayHold(caller, amount))
      .map((waiting) => ({ waiting, total: wouldHold(waiting) }))
      .toSorted((one, other) => one.total - other.total)[0]?.waiting;
  }

  /** Whether so much is free, after slow holders were told to give way. */
  #hasRoom(amount: number): boolean {
    const missing = () => this.#held + amount - this.bounds.most;
    if (missing() > 0) this.#dismiss(missing);
    return missing() <= 0;
  }

  #freeOwn(caller: string, amount: number): boolean {
    this.#dismiss(() => (this.#heldBy.get(caller) ?? 0) + amount - this.bounds.mostPerCaller, caller);
    return this.#mayHold(caller, amount);
  }

  /** Tells slow holders to give way, the slowest first, until the missing amount is free or about to be. */
  #dismiss(missing: () => number, caller?: string): void {
    const holders = [...this.#mayGiveWay].filter((one) => caller === undefined || one.caller === caller);
    const slow = holders.filter((one) => one.isSlow).toSorted((a, b) => a.slowSince - b.slowSince);
    const coming = () => holders.reduce((sum, one) => sum + (one.isGivingWay ? one.amount : 0), 0);
    for (const one of slow) {
      if (coming() >= missing()) return;
      one.dismiss();
    }
  }

  #enter(caller: string, amount: number): Share {
    const share = new Share(caller, this.bounds, {
      change: (by) => this.#change(caller, by),
      shortageFor: (by) => {
        if (!this.#mayHold(caller, by) && !this.#freeOwn(caller, by)) return "own";
        return this.#hasRoom(by) ? undefined : "others";
      },
      giveWay: (isAble) => {
        if (isAble) this.#mayGiveWay.add(share);
        else this.#mayGiveWay.delete(share);
      },
    });
    share.add(amount);
    return share;
  }

  #change(caller: string, by: number): void {
    this.#held += by;
    this.#peak = Math.max(this.#peak, this.#held);
    const own = (this.#heldBy.get(caller) ?? 0) + by;
    if (own > 0) this.#heldBy.set(caller, own);
    else this.#heldBy.delete(caller);
    if (by < 0 && this.#line.length > 0) this.#letIn();
  }
}

interface Stores {
  change(by: number): void;
  shortageFor(by: number): Shortage | undefined;
  giveWay(isAble: boolean): void;
}

/** What one caller holds of something. Release it afterwards. */
export class Share {
  readonly caller: string;
  amount = 0;
  /** When its holder last had gone on by enough. */
  slowSince = performance.now();
  isGivingWay = false;
  readonly #bounds: ShareBounds;
  readonly #stores: Stores;
  #giveWay: (() => void) | undefined;
  #recentBytes = 0;

  constructor(caller: string, bounds: ShareBounds, stores: Stores) {
    this.caller = caller;
    this.#bounds = bounds;
    this.#stores = stores;
  }

  get isSlow(): boolean {
    const isBehind = performance.now() - this.slowSince >= this.#bounds.slowMs;
    return isBehind && this.#giveWay !== undefined && !this.isGivingWay;
  }

  /** What to do when others need what it holds while it is slow; undefined: it does not give way (any more). */
  onNeeded(giveWay: (() => void) | undefined): void {
    this.#giveWay = giveWay;
    this.#stores.giveWay(giveWay !== undefined);
  }

  dismiss(): void {
    this.isGivingWay = true;
    this.#giveWay?.();
  }

  /** Notes that its client brought, or took, so many bytes. */
  noteProgress(bytes: number): void {
    this.#recentBytes += bytes;
    if (this.#recentBytes < this.#bounds.leastBytes) return;
    this.#recentBytes = 0;
    this.slowSince = performance.now();
  }

  /** Takes more at once; says why not when there is no room. */
  grow(by: number): Shortage | undefined {
    const shortage = this.#stores.shortageFor(by);
    if (shortage === undefined) this.add(by);
    return shortage;
  }

  /** Counts more (or less) whatever the bounds: it is there already. */
  add(by: number): void {
    this.amount += by;
    this.#stores.change(by);
  }

  /** May be called more than once. */
  release(): void {
    this.onNeeded(undefined);
    if (this.amount > 0) this.add(-this.amount);
  }
}
