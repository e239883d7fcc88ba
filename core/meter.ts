import { AsyncLocalStorage } from "node:async_hooks";

/** What was asked of the three services. Units are DynamoDB's own consumed capacity; bytes are request or answer bodies. */
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

const scope = new AsyncLocalStorage<Usage>();

/** Runs `work` and counts what it asked of the services; nested scopes count for themselves alone. */
export async function measured<T>(work: () => Promise<T>): Promise<{ result: T; usage: Usage }> {
  const usage = noUsage();
  const result = await scope.run(usage, work);
  return { result, usage };
}

/** The doors call this once per request sent. */
export function count(operation: string, amounts: Partial<Omit<Usage, "operations">>): void {
  const usage = scope.getStore();
  if (usage === undefined) return;
  usage.operations[operation] = (usage.operations[operation] ?? 0) + 1;
  for (const [name, amount] of Object.entries(amounts)) {
    usage[name as keyof Omit<Usage, "operations">] += amount;
  }
}

/** Runs `work` with counts added to `usage`: how a request's scope is carried into streams that outlive its handler. */
export function countInto<T>(usage: Usage, work: () => T): T {
  return scope.run(usage, work);
}
