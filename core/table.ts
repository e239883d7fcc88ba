import { randomUUID } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unavailable } from "./errors.ts";
import { count } from "./meter.ts";
import { retryWithJitter, writeFailure } from "./table/retry.ts";
import { compileWrite, type Item, keyOf, keyText, type TableKey, type Write } from "./table/write.ts";

export { absent, all, any, below, type Condition, equals, exists } from "./table/condition.ts";
export { check, type Item, keyText, put, remove, type TableKey, update, type Write } from "./table/write.ts";

/** A run of items of one partition in sort-key order. Strongly consistent unless said otherwise. */
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

/** What became of a transaction. `failed` holds the indexes of the writes whose condition did not hold. */
export type TransactionOutcome =
  | { readonly committed: true; readonly conflicts: number }
  | { readonly committed: false; readonly failed: readonly number[]; readonly conflicts: number };

/** The door to DynamoDB: the only code that sees its SDK. */
export interface Table {
  readonly name: string;
  get<T extends Item = Item>(key: TableKey, options?: { isConsistent?: boolean }): Promise<T | undefined>;
  /** Reads any number of keys (duplicates dropped), by `keyText`. What stays unread is Unavailable, never "absent". */
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
  /** One conditional write; false when its condition did not hold. */
  write(write: Write): Promise<boolean>;
  /** All of the writes or none. At most 100 items and 4 MB. */
  transact(writes: readonly Write[], options?: { token?: string }): Promise<TransactionOutcome>;
  /** Adds to a number outside any transaction and answers its new value (D-NUMBER). */
  increment(key: TableKey, attribute: string, by?: number): Promise<number>;
  /** Removes items without conditions, 25 at a time: for jobs. */
  removeAll(keys: readonly TableKey[]): Promise<void>;
}

export interface TableOptions {
  readonly client: DynamoDBClient;
  readonly name: string;
  /** How long conflicts and throttling are retried before Unavailable. */
  readonly retryBudgetMs?: number;
}

const batchGetSize = 100;
const batchWriteSize = 25;

interface Consumed {
  readonly CapacityUnits?: number | undefined;
}

/** Opens the door to one table. */
export function createTable(options: TableOptions): Table {
  const { name } = options;
  const budgetMs = options.retryBudgetMs ?? 8_000;
  const documents = DynamoDBDocumentClient.from(options.client, {
    marshallOptions: { removeUndefinedValues: true },
  });
  const measure = (
    operation: string,
    kind: "tableReadUnits" | "tableWriteUnits",
    consumed: Consumed[] | undefined,
  ) => {
    const units = (consumed ?? []).reduce((sum, one) => sum + (one.CapacityUnits ?? 0), 0);
    count(`dynamodb:${operation}`, { tableRequests: 1, [kind]: units });
  };
  const capacity = { ReturnConsumedCapacity: "TOTAL" } as const;

  async function get<T extends Item>(key: TableKey, { isConsistent = true } = {}): Promise<T | undefined> {
    const answer = await retryWithJitter(budgetMs, () =>
      documents.send(
        new GetCommand({
          TableName: name,
          Key: { pk: key.pk, sk: key.sk },
          ConsistentRead: isConsistent,
          ...capacity,
        }),
      ),
    );
    measure("GetItem", "tableReadUnits", answer.ConsumedCapacity && [answer.ConsumedCapacity]);
    return answer.Item as T | undefined;
  }

  async function getBatch<T extends Item>(keys: TableKey[], isConsistent: boolean, found: Map<string, T>) {
    let wanted: Record<string, unknown>[] = keys.map((key) => ({ pk: key.pk, sk: key.sk }));
    const deadline = Date.now() + budgetMs;
    while (wanted.length > 0) {
      const answer = await retryWithJitter(budgetMs, () =>
        documents.send(
          new BatchGetCommand({
            RequestItems: { [name]: { Keys: wanted, ConsistentRead: isConsistent } },
            ...capacity,
          }),
        ),
      );
      measure("BatchGetItem", "tableReadUnits", answer.ConsumedCapacity);
      for (const item of (answer.Responses?.[name] ?? []) as T[]) found.set(keyText(item), item);
      wanted = answer.UnprocessedKeys?.[name]?.Keys ?? [];
      if (wanted.length > 0 && Date.now() > deadline) {
        throw unavailable("the table did not answer every read in time; try again");
      }
    }
  }

  async function getAll<T extends Item>(keys: readonly TableKey[], { isConsistent = true } = {}) {
    const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
    const found = new Map<string, T>();
    const batches: TableKey[][] = [];
    for (let at = 0; at < distinct.length; at += batchGetSize)
      batches.push(distinct.slice(at, at + batchGetSize));
    await Promise.all(batches.map((batch) => getBatch(batch, isConsistent, found)));
    return found;
  }

  async function query<T extends Item>(asked: Query): Promise<QueryPage<T>> {
    const values: Record<string, string> = { ":pk": asked.pk };
    const range = rangeExpression(asked, values);
    const answer = await retryWithJitter(budgetMs, () =>
      documents.send(
        new QueryCommand({
          TableName: name,
          KeyConditionExpression: `pk = :pk${range}`,
          ExpressionAttributeValues: values,
          ConsistentRead: asked.isConsistent ?? true,
          ScanIndexForward: asked.reverse !== true,
          ...(asked.limit === undefined ? {} : { Limit: asked.limit }),
          ...(asked.after === undefined ? {} : { ExclusiveStartKey: { pk: asked.pk, sk: asked.after } }),
          ...capacity,
        }),
      ),
    );
    measure("Query", "tableReadUnits", answer.ConsumedCapacity && [answer.ConsumedCapacity]);
    const next = answer.LastEvaluatedKey?.sk as string | undefined;
    return { items: (answer.Items ?? []) as T[], ...(next === undefined ? {} : { next }) };
  }

  async function queryAll<T extends Item>(asked: Query): Promise<T[]> {
    const items: T[] = [];
    let after = asked.after;
    do {
      const remaining = asked.limit === undefined ? {} : { limit: asked.limit - items.length };
      const page = await query<T>({ ...asked, ...(after === undefined ? {} : { after }), ...remaining });
      items.push(...page.items);
      after = page.next;
    } while (after !== undefined && (asked.limit === undefined || items.length < asked.limit));
    return items;
  }

  const queryActor: Table["queryActor"] = async (actor, after) => {
    const answer = await retryWithJitter(budgetMs, () =>
      documents.send(
        new QueryCommand({
          TableName: name,
          IndexName: "actor",
          KeyConditionExpression: "a = :a",
          ExpressionAttributeValues: { ":a": actor },
          ...(after === undefined ? {} : { ExclusiveStartKey: after }),
          ...capacity,
        }),
      ),
    );
    measure("Query", "tableReadUnits", answer.ConsumedCapacity && [answer.ConsumedCapacity]);
    const keys = (answer.Items ?? []).map((item) => ({ pk: String(item.pk), sk: String(item.sk) }));
    const next = answer.LastEvaluatedKey as (TableKey & { a: string; as: string }) | undefined;
    return { keys, ...(next === undefined ? {} : { next }) };
  };

  async function send(write: Write): Promise<void> {
    const members = compileWrite(write, name);
    const key = keyOf(write);
    if ("check" in write) throw new TypeError("a condition check stands only in a transaction");
    const command =
      "put" in write
        ? new PutCommand({ ...members, Item: write.put, ...capacity })
        : "update" in write
          ? new UpdateCommand({ ...members, Key: key, ...capacity })
          : new DeleteCommand({ ...members, Key: key, ...capacity });
    const answer = await retryWithJitter(budgetMs, () => documents.send(command as UpdateCommand));
    measure(
      command.constructor.name.replace("Command", "Item"),
      "tableWriteUnits",
      answer.ConsumedCapacity && [answer.ConsumedCapacity],
    );
  }

  async function write(one: Write): Promise<boolean> {
    try {
      await send(one);
      return true;
    } catch (error) {
      if (writeFailure(error) !== "condition") throw error;
      count("dynamodb:ConditionFailed", {});
      return false;
    }
  }

  async function transact(
    writes: readonly Write[],
    { token = randomUUID() as string } = {},
  ): Promise<TransactionOutcome> {
    const keys = new Set(writes.map((one) => keyText(keyOf(one))));
    if (keys.size < writes.length) throw new TypeError("a transaction names one item twice");
    const input: TransactWriteCommandInput = {
      TransactItems: writes.map((one) =>
        transactionItem(one, name),
      ) as TransactWriteCommandInput["TransactItems"],
      ClientRequestToken: token,
      ...capacity,
    };
    let conflicts = 0;
    try {
      const answer = await retryWithJitter(
        budgetMs,
        () => documents.send(new TransactWriteCommand(input)),
        () => {
          conflicts += 1;
        },
      );
      measure("TransactWriteItems", "tableWriteUnits", answer.ConsumedCapacity);
      return { committed: true, conflicts };
    } catch (error) {
      const failure = writeFailure(error);
      if (failure === "condition") {
        count("dynamodb:TransactionCancelled", { tableRequests: 1 });
        return { committed: false, failed: failedIndexes(error), conflicts };
      }
      throw error;
    }
  }

  async function increment(key: TableKey, attribute: string, by = 1): Promise<number> {
    const answer = await retryWithJitter(budgetMs, () =>
      documents.send(
        new UpdateCommand({
          TableName: name,
          Key: { pk: key.pk, sk: key.sk },
          UpdateExpression: "ADD #n :by",
          ExpressionAttributeNames: { "#n": attribute },
          ExpressionAttributeValues: { ":by": by },
          ReturnValues: "UPDATED_NEW",
          ...capacity,
        }),
      ),
    );
    measure("UpdateItem", "tableWriteUnits", answer.ConsumedCapacity && [answer.ConsumedCapacity]);
    return Number(answer.Attributes?.[attribute]);
  }

  async function removeBatch(keys: TableKey[]) {
    let requests: { DeleteRequest: { Key: Record<string, unknown> } }[] = keys.map((key) => ({
      DeleteRequest: { Key: { pk: key.pk, sk: key.sk } },
    }));
    const deadline = Date.now() + budgetMs;
    while (requests.length > 0) {
      const answer = await retryWithJitter(budgetMs, () =>
        documents.send(new BatchWriteCommand({ RequestItems: { [name]: requests }, ...capacity })),
      );
      measure("BatchWriteItem", "tableWriteUnits", answer.ConsumedCapacity);
      requests = (answer.UnprocessedItems?.[name] ?? []) as typeof requests;
      if (requests.length > 0 && Date.now() > deadline) {
        throw unavailable("the table did not take every removal in time; try again");
      }
    }
  }

  async function removeAll(keys: readonly TableKey[]) {
    const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
    for (let at = 0; at < distinct.length; at += batchWriteSize) {
      await removeBatch(distinct.slice(at, at + batchWriteSize));
    }
  }

  return { name, get, getAll, query, queryAll, queryActor, write, transact, increment, removeAll };
}

function rangeExpression(asked: Query, values: Record<string, string>): string {
  if (asked.prefix !== undefined) {
    values[":prefix"] = asked.prefix;
    return " AND begins_with(sk, :prefix)";
  }
  if (asked.from !== undefined && asked.to !== undefined) {
    values[":from"] = asked.from;
    values[":to"] = asked.to;
    return " AND sk BETWEEN :from AND :to";
  }
  if (asked.from !== undefined) {
    values[":from"] = asked.from;
    return " AND sk >= :from";
  }
  if (asked.to !== undefined) {
    values[":to"] = asked.to;
    return " AND sk <= :to";
  }
  return "";
}

function transactionItem(write: Write, tableName: string) {
  const members = compileWrite(write, tableName);
  if ("put" in write) return { Put: { ...members, Item: write.put } };
  const key = { Key: keyOf(write) };
  if ("update" in write) return { Update: { ...members, ...key } };
  if ("remove" in write) return { Delete: { ...members, ...key } };
  return { ConditionCheck: { ...members, ...key } };
}

function failedIndexes(error: unknown): number[] {
  const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? [];
  return reasons.flatMap((reason, index) => (reason.Code === "ConditionalCheckFailed" ? [index] : []));
}
