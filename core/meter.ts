/**
 * The cost of requests to the three services. Units are DynamoDB's own consumed capacity; bytes are request or answer
 * bodies.
 */
export interface Usage {
  tableRequests: number;
  tableReadUnits: number;
  tableWriteUnits: number;
  blobReads: number;
  blobWrites: number;
  blobBytesRead: number;
  blobBytesWritten: number;
  queueRequests: number;
  /** Requests by `service:operation`, such as `dynamodb:TransactWriteItems`. */
  operations: Record<string, number>;
}

/** A fresh count of nothing. */
export const noUsage = (): Usage => ({
  tableRequests: 0,
  tableReadUnits: 0,
  tableWriteUnits: 0,
  blobReads: 0,
  blobWrites: 0,
  blobBytesRead: 0,
  blobBytesWritten: 0,
  queueRequests: 0,
  operations: {},
});

/** Called for every request that a store sends (`dynamodb:Query`), with its cost. */
export type Count = (operation: string, amounts: Partial<Omit<Usage, "operations">>) => void;

/** For stores whose requests nobody counts. */
export const uncounted: Count = () => undefined;

/** Adds up the calls in `usage`. */
export const countInto =
  (usage: Usage): Count =>
  (operation, amounts) => {
    usage.operations[operation] = (usage.operations[operation] ?? 0) + 1;
    for (const [name, amount] of Object.entries(amounts)) {
      usage[name as keyof Omit<Usage, "operations">] += amount;
    }
  };
