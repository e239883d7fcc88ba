import { setImmediate as turn } from "node:timers/promises";
import type { BlobListing, Blobs } from "#core/blobs";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import type { Query, Table } from "#core/table";
import { keyText } from "#core/table/write";
import { SimulatedCrash } from "../faults.ts";
import type { Random } from "../random.ts";

/** How an actor's requests fare. */
export interface ActorOptions {
  /** Chance that the process is killed at a request, before or after it is done. */
  readonly crashChance?: number;
  /** For so many steps an eventually consistent read may not see what is new. */
  readonly lagSteps?: number;
  /** Items of one query's page: what happens between two pages is seen by the second alone. */
  readonly itemsPerQuery?: number;
  /** Told when the process is killed. */
  readonly onCrash?: () => void;
  /** Requests to the bucket wait for their turn, too. */
  readonly isBucketToo?: boolean;
}

/**
 * Lets actors take turns at the table, one request or two at a time, as a seed says: every order of their requests can
 * come about, on the real stand-in.
 */
export interface Interleaving {
  /** Requests done so far. */
  readonly steps: number;
  /** A process of its own, with caches of its own: a forge whose requests wait for their turn. */
  process(options?: ActorOptions): Forge;
  /** Starts an actor. What it throws ends the run. */
  start(actor: () => Promise<void>): void;
  /** Gives turns until all actors are done. */
  run(): Promise<void>;
}

interface Waiting {
  readonly go: () => Promise<void>;
  /** Some requests come late: others get so many steps ahead. */
  readonly notBefore: number;
}

const lateChance = 0.05;
const longestDelaySteps = 80;

/** An interleaving of requests to the table of `forge`. */
export const interleave = (forge: Forge, random: Random): Interleaving => new Turns(forge, random);

class Turns implements Interleaving {
  steps = 0;
  readonly #forge: Forge;
  readonly #random: Random;
  readonly #waiting: Waiting[] = [];
  readonly #writtenAt = new Map<string, number>();
  #actors = 0;
  #failure: { error: unknown } | undefined;

  constructor(forge: Forge, random: Random) {
    this.#forge = forge;
    this.#random = random;
  }

  start(actor: () => Promise<void>): void {
    this.#actors += 1;
    actor()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#actors -= 1;
      });
  }

  async run(): Promise<void> {
    await turn();
    while (this.#actors > 0 && this.#failure === undefined) {
      const together = this.#random.chance(0.3) ? 2 : 1;
      const picked = Array.from({ length: together }, () => this.#pick());
      await Promise.all(picked.map((one) => one?.go()));
      await turn();
      await turn();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #pick(): Waiting | undefined {
    const ready = this.#waiting.filter(({ notBefore }) => notBefore <= this.steps);
    const from = ready.length > 0 ? ready : this.#waiting;
    if (from.length === 0) return undefined;
    const picked = this.#random.pick(from);
    this.#waiting.splice(this.#waiting.indexOf(picked), 1);
    return picked;
  }

  process(options: ActorOptions = {}): Forge {
    const { table } = this.#forge;
    const pass = this.#passer(options);
    const isNew = (item: { pk: string; sk: string }) =>
      (this.#writtenAt.get(keyText(item)) ?? Number.NEGATIVE_INFINITY) >
      this.steps - this.#random.integer(1 + (options.lagSteps ?? 0));
    const query: Table["query"] = (asked) =>
      pass(() =>
        table.query({ ...asked, limit: Math.min(asked.limit ?? 1e9, options.itemsPerQuery ?? 1e9) }),
      );
    const gated: Table = {
      name: table.name,
      get: (key, asked) => pass(() => table.get(key, asked)),
      getAll: (keys, asked) =>
        pass(async () => {
          const found = await table.getAll(keys, asked);
          if (asked?.isConsistent !== false) return found;
          return new Map([...found].filter(([, item]) => !isNew(item)));
        }) as never,
      query,
      queryAll: (asked) => queryAll(query, asked) as never,
      queryActor: (actor, after) => pass(() => table.queryActor(actor, after)),
      scan: (part) => table.scan(part),
      write: (write) =>
        pass(async () => {
          const isDone = await table.write(write);
          if (isDone && "put" in write) this.#writtenAt.set(keyText(write.put), this.steps);
          return isDone;
        }),
      transact: (writes, asked) => pass(() => table.transact(writes, asked)),
      increment: (key, attribute, by) => pass(() => table.increment(key, attribute, by)),
      removeAll: (keys) => pass(() => table.removeAll(keys)),
      countedBy: () => gated,
    };
    const blobs = options.isBucketToo === true ? gateBlobs(this.#forge.blobs, pass) : this.#forge.blobs;
    return { ...this.#forge, config: { ...this.#forge.config }, table: gated, blobs };
  }

  /** Waits for a turn, does the request in it, and dies where chance says so; once dead, at every request. */
  #passer({ crashChance = 0, onCrash }: ActorOptions): Pass {
    let isDead = false;
    return <T>(request: () => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const go = async () => {
          const dies = this.#random.chance(crashChance) ? this.#random.pick(["before", "after"]) : "not";
          isDead ||= dies === "before";
          if (dies !== "not") onCrash?.();
          if (isDead) return reject(new SimulatedCrash());
          this.steps += 1;
          try {
            const answer = await request();
            isDead ||= dies === "after";
            if (isDead) reject(new SimulatedCrash());
            else resolve(answer);
          } catch (error) {
            reject(error);
          }
        };
        const delay = this.#random.chance(lateChance) ? this.#random.integer(longestDelaySteps) : 0;
        this.#waiting.push({ go, notBefore: this.steps + delay });
      });
  }
}

/** Does a request when its turn comes. */
type Pass = <T>(request: () => Promise<T>) => Promise<T>;

/** A listing is one request here; a stream waits before its first byte. */
function gateBlobs(blobs: Blobs, pass: Pass): Blobs {
  const gated: Blobs = {
    ...blobs,
    put: (...asked) => pass(() => blobs.put(...asked)),
    putFile: (...asked) => pass(() => blobs.putFile(...asked)),
    get: (key) => pass(() => blobs.get(key)),
    read: (...asked) => pass(() => blobs.read(...asked)),
    remove: (keys) => pass(() => blobs.remove(keys)),
    async *stream(...asked) {
      await pass(async () => undefined);
      yield* blobs.stream(...asked);
    },
    async *list(prefix) {
      yield* await pass(async () => {
        const found: BlobListing[] = [];
        for await (const one of blobs.list(prefix)) found.push(one);
        return found;
      });
    },
    countedBy: () => gated,
  };
  return gated;
}

async function queryAll(query: Table["query"], asked: Query) {
  const items: unknown[] = [];
  let { after } = asked;
  do {
    const page = await query({ ...asked, ...defined({ after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined && items.length < (asked.limit ?? Number.POSITIVE_INFINITY));
  return items;
}
