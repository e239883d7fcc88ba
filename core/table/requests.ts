import type { Count } from "../meter.ts";
import type { PlainAnswer } from "./internal/messages.ts";
import { retryWithJitter } from "./internal/retry.ts";
import type { Operation, Wire } from "./wire.ts";

/** How requests reach one table: counted one by one, and sent again while they fail for a passing reason. */
export interface Requests {
  readonly tableName: string;
  /** Sends one request and counts it, with the units it consumed. */
  once(operation: Operation, members: object): Promise<PlainAnswer>;
  /** The same until it succeeds, fails for good, or the time is over (Unavailable). */
  send(operation: Operation, members: object): Promise<PlainAnswer>;
  /** Tries something else until then; `onRetry` is called for each new try. */
  retry<T>(attempt: () => Promise<T>, onRetry: () => void): Promise<T>;
  /** Sends batches until nothing comes back unprocessed, within the same time. */
  sendBatch<Member>(members: readonly Member[], once: (left: Member[]) => Promise<Member[]>): Promise<void>;
}

const reads = new Set<Operation>(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** The parts that requests to one table need. */
interface RequestsOptions {
  readonly wire: Wire;
  readonly tableName: string;
  /** How long they are sent again. */
  readonly budgetMs: number;
  readonly count: Count;
}

/** Opens the way to one table. */
export function createRequests({ wire, tableName, budgetMs, count }: RequestsOptions): Requests {
  const once: Requests["once"] = async (operation, members) => {
    let units = 0;
    try {
      const answer = await wire.send(operation, { ...members, ReturnConsumedCapacity: "TOTAL" });
      units = unitsOf(answer);
      return answer;
    } finally {
      const kind = reads.has(operation) ? "tableReadUnits" : "tableWriteUnits";
      count(`dynamodb:${operation}`, { tableRequests: 1, [kind]: units });
    }
  };
  return {
    tableName,
    once,
    send: (operation, members) => retryWithJitter(budgetMs, () => once(operation, members)),
    retry: (attempt, onRetry) => retryWithJitter(budgetMs, attempt, onRetry),
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

function unitsOf({ ConsumedCapacity: consumed }: PlainAnswer): number {
  const all = Array.isArray(consumed) ? consumed : [consumed];
  return all.reduce((sum, one) => sum + (one?.CapacityUnits ?? 0), 0);
}
