import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { count } from "../meter.ts";
import { retryWithJitter } from "./retry.ts";

interface Consumed {
  readonly CapacityUnits?: number | undefined;
}
interface Answer {
  readonly ConsumedCapacity?: Consumed | Consumed[] | undefined;
}

/** How requests get to one table: counted one by one, and sent again while they fail for a passing reason. */
export interface Requests {
  readonly tableName: string;
  readonly documents: DynamoDBDocumentClient;
  /** Sends one request and counts it, with the units it consumed; the operation is named as DynamoDB does. */
  once<T extends Answer>(operation: string, send: () => Promise<T>): Promise<T>;
  /** The same until it succeeds, fails for good, or the time is over (Unavailable). */
  send<T extends Answer>(operation: string, send: () => Promise<T>, onRetry?: () => void): Promise<T>;
  /** Sends batches until nothing comes back unprocessed, within the same time. */
  sendBatch<Member>(members: readonly Member[], once: (left: Member[]) => Promise<Member[]>): Promise<void>;
}

/** What every request asks for, so that it can be counted. */
export const capacity = { ReturnConsumedCapacity: "TOTAL" } as const;

const reads = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** Opens the way to one table. */
export function createRequests(client: DynamoDBClient, tableName: string, budgetMs: number): Requests {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const once: Requests["once"] = async (operation, send) => {
    let units = 0;
    try {
      const answer = await send();
      units = unitsOf(answer);
      return answer;
    } finally {
      const kind = reads.has(operation) ? "tableReadUnits" : "tableWriteUnits";
      count(`dynamodb:${operation}`, { tableRequests: 1, [kind]: units });
    }
  };
  return {
    tableName,
    documents,
    once,
    send: (operation, send, onRetry) => retryWithJitter(budgetMs, () => once(operation, send), onRetry),
    async sendBatch(members, send) {
      let left = [...members];
      await retryWithJitter(budgetMs, async () => {
        if (left.length > 0) left = await send(left);
        if (left.length > 0) throw new Unprocessed(left.length);
      });
    },
  };
}

/** Part of a batch came back: a passing reason to ask again. */
class Unprocessed extends Error {
  constructor(left: number) {
    super(`${left} members of the batch were not processed`);
    this.name = "Unprocessed";
  }
}

function unitsOf({ ConsumedCapacity: consumed }: Answer): number {
  const all = Array.isArray(consumed) ? consumed : [consumed];
  return all.reduce((sum, one) => sum + (one?.CapacityUnits ?? 0), 0);
}
