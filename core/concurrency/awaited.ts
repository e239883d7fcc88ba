import type { Blobs } from "../blobs.ts";
import { viewed } from "../lazy.ts";
import type { Queues } from "../queues.ts";
import type { Table } from "../table.ts";

/** Whether anybody waits for what is done. */
export interface Awaited {
  /**
   * Throws why nobody waits any more: the client left, or the time is over. Never once something was written, because
   * what began to write goes on to its end.
   */
  throwIfAborted(): void;
  /** Call it before something is written; it throws as above. */
  beginWriting(): void;
}

/** Work that is done to its end, whoever waits. */
export const alwaysAwaited: Awaited = { throwIfAborted: () => undefined, beginWriting: () => undefined };

/** The three stores, by which everything that lasts is written. */
interface Stores {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly queues: Queues;
}

/** The stores for one request: what it writes first says that it has begun to. */
export function tellingOfWrites({ table, blobs, queues }: Stores, awaited: Awaited): Stores {
  const telling =
    <Given extends unknown[], Result>(write: (...given: Given) => Result) =>
    (...given: Given): Result => {
      awaited.beginWriting();
      return write(...given);
    };
  return {
    table: {
      ...table,
      [viewed]: table[viewed] ?? table,
      write: telling((...given) => table.write(...given)),
      transact: telling((...given) => table.transact(...given)),
      increment: telling((...given) => table.increment(...given)),
      removeAll: telling((...given) => table.removeAll(...given)),
    },
    blobs: {
      ...blobs,
      [viewed]: blobs[viewed] ?? blobs,
      put: telling((...given) => blobs.put(...given)),
      putFile: telling((...given) => blobs.putFile(...given)),
      putStream: telling((...given) => blobs.putStream(...given)),
      putFileAhead: telling((...given) => blobs.putFileAhead(...given)),
      remove: telling((...given) => blobs.remove(...given)),
    },
    queues: {
      ...queues,
      send: telling((...given) => queues.send(...given)),
      hide: telling((...given) => queues.hide(...given)),
    },
  };
}
