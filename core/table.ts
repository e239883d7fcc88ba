import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { viewed } from "./lazy.ts";
import { type Count, uncounted } from "./meter.ts";
import { createReads } from "./table/reads.ts";
import { createRequests } from "./table/requests.ts";
import { createTransact } from "./table/transactions.ts";
import { openWire, type Wire } from "./table/wire.ts";
import type { Item, TableKey, Write } from "./table/write.ts";
import { createWrites } from "./table/writes.ts";

/** A run of items of one partition in sort-key order. Strongly consistent by default. */
export interface Query {
  readonly pk: string;
  /** Only sort keys that begin with this. */
  readonly prefix?: string;
  /** Only sort keys from here on (inclusive). Not together with `prefix`. */
  readonly from?: string;
  /** Only sort keys up to here (inclusive). */
  readonly to?: string;
  /** Go on behind this sort key. */
  readonly after?: string;
  readonly limit?: number;
  readonly reverse?: boolean;
  readonly isConsistent?: boolean;
}

/** One request's worth of items; `next` is the `after` of the following one. */
export interface QueryPage<T> {
  readonly items: T[];
  readonly next?: string;
}

/**
 * The result of a transaction. `failed` holds the indexes of the writes whose condition did not hold; when it gave up
 * after `mostConflicts`, `contended` holds those of the writes that conflicted last. `conflicts` counts the retries.
 */
export type TransactionOutcome =
  | { readonly committed: true; readonly conflicts: number }
  | {
      readonly committed: false;
      readonly failed: readonly number[];
      readonly contended: readonly number[];
      readonly conflicts: number;
    };

/** The store in DynamoDB: the only code that sees its SDK. */
export interface Table {
  readonly name: string;
  get<T extends Item = Item>(key: TableKey, options?: { isConsistent?: boolean }): Promise<T | undefined>;
  /** Reads any number of keys (duplicates dropped), by `keyText`. An unread key is Unavailable, never "absent". */
  getAll<T extends Item = Item>(
    keys: readonly TableKey[],
    options?: { isConsistent?: boolean },
  ): Promise<Map<string, T>>;
  query<T extends Item = Item>(query: Query): Promise<QueryPage<T>>;
  /** Every item of the run, in as many requests as it takes. */
  queryAll<T extends Item = Item>(query: Query): Promise<T[]>;
  /** Items of the index `actor` (used by jobs only; may lag). */
  queryActor(
    actor: string,
    after?: TableKey & { a: string; as: string },
  ): Promise<{ keys: TableKey[]; next?: TableKey & { a: string; as: string } }>;
  /**
   * Every item of the table, one request's worth at a time, or of one of `of` parts that may be read side by side. For
   * operators alone: no request of a client scans a table.
   */
  scan(part: { readonly segment: number; readonly of: number }): AsyncIterable<Item[]>;
  /**
   * One write; false when its condition did not hold. After a lost answer the write is tried again and may then
   * conflict with itself: code that must know puts a mark of its own into the item and reads back.
   */
  write(write: Write): Promise<boolean>;
  /**
   * All of the writes or none. At most 100 items and 4 MB. Conflicts and lost answers are retried under one token, so
   * it is applied once; Unavailable when the time is over (after a lost answer the outcome is unknown: read back). With
   * `mostConflicts` it is given up after so many conflicts, surely not applied: for code that would build it anew.
   */
  transact(
    writes: readonly Write[],
    options?: { token?: string; mostConflicts?: number },
  ): Promise<TransactionOutcome>;
  /** Adds to a number outside any transaction, answers its new value (D-NUMBER). A lost answer costs a number. */
  increment(key: TableKey, attribute: string, by?: number): Promise<number>;
  /** Removes items without conditions, 25 at a time: for jobs. */
  removeAll(keys: readonly TableKey[]): Promise<void>;
  /** A view of this store that reports each of its requests to `count`. */
  countedBy(count: Count): Table;
  readonly [viewed]?: Table;
}

/** The options of the store. */
export interface TableOptions {
  readonly client: DynamoDBClient;
  readonly name: string;
  /** How long conflicts and throttling are retried before Unavailable; never near the 10 minutes that a token lives. */
  readonly retryBudgetMs?: number;
  /** Whether requests are repetitions of the SDK's last one (`REPEATED_REQUESTS`); they are unless said otherwise. */
  readonly repeatsRequests?: boolean;
  /** Every request passes through it: tests inject faults here. */
  readonly through?: (wire: Wire) => Wire;
  /** Called for every request that doesn't go through a view; absent: nothing is called. */
  readonly count?: Count;
}

const defaultBudgetMs = 8_000;

/** Opens the store of one table. */
export function createTable({
  client,
  name,
  retryBudgetMs = defaultBudgetMs,
  repeatsRequests = true,
  through = (wire) => wire,
  count = uncounted,
}: TableOptions): Table {
  const wire = through(openWire(client, repeatsRequests));
  const open = (count: Count): Table => {
    const requests = createRequests({ wire, tableName: name, budgetMs: retryBudgetMs, count });
    return {
      name,
      ...createReads(requests),
      ...createWrites(requests),
      transact: createTransact(requests),
      countedBy(other) {
        return { ...open(other), [viewed]: this[viewed] ?? this };
      },
    };
  };
  return open(count);
}
