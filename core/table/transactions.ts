import { randomUUID } from "node:crypto";
import type { Table } from "../table.ts";
import { writeFailure } from "./internal/retry.ts";
import type { Requests } from "./requests.ts";
import { compileWrite, keyOf, keyText, type Write } from "./write.ts";

const mostItems = 100;

/**
 * The store's transactions. Throws TypeError for requests that DynamoDB never accepts: an item named twice, too many
 * items.
 */
export function createTransact({ tableName, once, retry }: Requests): Table["transact"] {
  return async (writes, { token = randomUUID(), mostConflicts = Number.POSITIVE_INFINITY } = {}) => {
    const keys = new Set(writes.map((one) => keyText(keyOf(one))));
    if (keys.size < writes.length) throw new TypeError("a transaction names one item twice");
    if (writes.length > mostItems)
      throw new TypeError(`a transaction has ${writes.length} items, over ${mostItems}`);
    const TransactItems = writes.map((one) => transactionItem(one, tableName));
    const members = { TransactItems, ClientRequestToken: token };
    let conflicts = 0;
    const onRetry = () => {
      conflicts += 1;
    };
    const attempt = givingUp(() => once("TransactWriteItems", members), mostConflicts);
    try {
      await retry(attempt, onRetry);
      return { committed: true, conflicts };
    } catch (error) {
      if (error instanceof GaveUp)
        return { committed: false, failed: [], contended: error.contended, conflicts };
      if (writeFailure(error) !== "condition") throw error;
      return {
        committed: false,
        failed: indexesOf("ConditionalCheckFailed", error),
        contended: [],
        conflicts,
      };
    }
  };
}

function transactionItem(write: Write, tableName: string) {
  const members = compileWrite(write, tableName);
  if ("put" in write) return { Put: { ...members, Item: write.put } };
  const key = { Key: keyOf(write) };
  if ("update" in write) return { Update: { ...members, ...key } };
  if ("remove" in write) return { Delete: { ...members, ...key } };
  return { ConditionCheck: { ...members, ...key } };
}

/** Ends the retries: one conflict too many. */
class GaveUp extends Error {
  readonly contended: readonly number[];
  constructor(cause: unknown) {
    super("the transaction met too many conflicts", { cause });
    this.name = "GaveUp";
    this.contended = indexesOf("TransactionConflict", cause);
  }
}

/** Fails with GaveUp at the `most`th conflict, unless an answer was lost before: then the outcome is uncertain. */
function givingUp<T>(attempt: () => Promise<T>, most: number): () => Promise<T> {
  let conflicts = 0;
  let isCertain = true;
  return async () => {
    try {
      return await attempt();
    } catch (error) {
      if (indexesOf("TransactionConflict", error).length > 0) conflicts += 1;
      else isCertain = false;
      throw isCertain && conflicts >= most ? new GaveUp(error) : error;
    }
  };
}

function indexesOf(code: "ConditionalCheckFailed" | "TransactionConflict", error: unknown): number[] {
  const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? [];
  return reasons.flatMap((reason, index) => (reason.Code === code ? [index] : []));
}
