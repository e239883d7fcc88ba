import type { FairQueue } from "./fair-queue.ts";
import { orAborted } from "./or-aborted.ts";

/** A caller's place in the queue for a thing, and how many of their requests wait for it. */
interface Asked {
  readonly isOver: Promise<void>;
  readonly leave: AbortController;
  waiting: number;
}

interface Thing<T> {
  /** Absent until somebody's turn has come. */
  made?: Promise<T>;
  waiting: number;
  readonly asked: Map<string, Asked>;
}

/**
 * A thing that several may ask for and that is made once, in turns of a fair queue. Each caller queues for themselves,
 * so that nobody waits behind another's requests; the first turn makes it for all. A thing that nobody waits for any
 * more is dropped if it has not begun. Once begun, it is made to its end, so that a returning caller finds it.
 */
export class MadeOnce<T> {
  readonly #queue: FairQueue;
  readonly #things = new Map<string, Thing<T>>();

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  /**
   * The thing of this key, made by the first one's `make`; `unheard` hears of a failure that nobody waited for. Throws
   * what the queue throws, what `make` throws, and the signal's reason.
   */
  async get(key: string, { caller, make, unheard, signal }: MadeFor<T>): Promise<T> {
    signal.throwIfAborted();
    const thing: Thing<T> = this.#things.get(key) ?? { waiting: 0, asked: new Map() };
    this.#things.set(key, thing);
    thing.waiting += 1;
    try {
      if (thing.made === undefined) await this.#turn(key, thing, { caller, make, unheard, signal });
      return await orAborted(thing.made as Promise<T>, signal);
    } finally {
      thing.waiting -= 1;
      if (thing.made === undefined && thing.asked.size === 0) this.#things.delete(key);
    }
  }

  /** Waits until somebody's turn has come. */
  async #turn(key: string, thing: Thing<T>, wish: MadeFor<T>): Promise<void> {
    const asked = thing.asked.get(wish.caller) ?? this.#ask(key, thing, wish);
    asked.waiting += 1;
    try {
      await orAborted(asked.isOver, wish.signal);
    } finally {
      asked.waiting -= 1;
      if (asked.waiting === 0) {
        thing.asked.delete(wish.caller); // a returning caller queues anew
        asked.leave.abort();
      }
    }
  }

  #ask(key: string, thing: Thing<T>, { caller, make, unheard }: MadeFor<T>): Asked {
    const leave = new AbortController();
    const isOver = new Promise<void>((resolve, reject) => {
      const begin = async () => {
        if (thing.made === undefined) this.#begin(key, thing, { make, unheard });
        resolve();
        await thing.made;
      };
      this.#queue.take(caller, begin, leave.signal).catch((error: unknown) => {
        if (thing.made === undefined) reject(error);
        else resolve();
      });
    });
    isOver.catch(() => undefined); // all who waited may have left
    const asked = { isOver, leave, waiting: 0 };
    if (thing.made === undefined) thing.asked.set(caller, asked);
    return asked;
  }

  /** Has the thing made; the others leave the queue. */
  #begin(key: string, thing: Thing<T>, { make, unheard }: Pick<MadeFor<T>, "make" | "unheard">): void {
    const made = make();
    thing.made = made;
    const end = () => this.#things.delete(key);
    made.then(end, (error: unknown) => {
      end();
      if (thing.waiting === 0) unheard(error);
    });
    for (const { leave } of thing.asked.values()) leave.abort();
    thing.asked.clear();
  }
}

/** For whom something is made, and how. */
export interface MadeFor<T> {
  readonly caller: string;
  readonly make: () => Promise<T>;
  readonly unheard: (error: unknown) => void;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}
