import { BatchGetCommand, GetCommand, QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Query, QueryPage, Table } from "../table.ts";
import { capacity, type Requests } from "./requests.ts";
import { type Item, keyText, type TableKey } from "./write.ts";

type Reads = Pick<Table, "get" | "getAll" | "query" | "queryAll" | "queryActor" | "scan">;
type IndexKey = TableKey & { a: string; as: string };

const batchSize = 100;
const longestKeyBytes = { pk: 2048, sk: 1024 };

/**
 * Whether an item may lie under a key: DynamoDB refuses longer ones, and callers look for names of any length. What
 * can't be there is absent.
 */
const isPossible = ({ pk, sk }: TableKey): boolean =>
  Buffer.byteLength(pk) <= longestKeyBytes.pk && Buffer.byteLength(sk) <= longestKeyBytes.sk;

/** The reading half of the door. Strongly consistent unless said otherwise. */
export function createReads(requests: Requests): Reads {
  const { documents, tableName: TableName } = requests;
  async function query<T extends Item>(asked: Query): Promise<QueryPage<T>> {
    if (!isPossible({ pk: asked.pk, sk: "" })) return { items: [] };
    const command = new QueryCommand({ TableName, ...queryMembers(asked), ...capacity });
    const answer = await requests.send("Query", () => documents.send(command));
    const next = answer.LastEvaluatedKey?.sk as string | undefined;
    return { items: (answer.Items ?? []) as T[], ...(next === undefined ? {} : { next }) };
  }
  return {
    async get<T extends Item>({ pk, sk }: TableKey, { isConsistent = true } = {}) {
      if (!isPossible({ pk, sk })) return undefined;
      const command = new GetCommand({
        TableName,
        Key: { pk, sk },
        ConsistentRead: isConsistent,
        ...capacity,
      });
      return (await requests.send("GetItem", () => documents.send(command))).Item as T | undefined;
    },
    getAll: (keys, { isConsistent = true } = {}) => getAll(requests, keys, isConsistent),
    query,
    async queryAll<T extends Item>(asked: Query) {
      const items: T[] = [];
      let { after } = asked;
      do {
        const remaining = asked.limit === undefined ? {} : { limit: asked.limit - items.length };
        const page = await query<T>({ ...asked, ...(after === undefined ? {} : { after }), ...remaining });
        items.push(...page.items);
        after = page.next;
      } while (after !== undefined && items.length < (asked.limit ?? Number.POSITIVE_INFINITY));
      return items;
    },
    queryActor: (actor, after) => queryActor(requests, actor, after),
    scan: (part) => scan(requests, part),
  };
}

async function getAll<T extends Item>(
  { documents, tableName, once, sendBatch }: Requests,
  keys: readonly TableKey[],
  isConsistent: boolean,
): Promise<Map<string, T>> {
  const possible = keys.filter(isPossible);
  const distinct = [...new Map(possible.map(({ pk, sk }) => [keyText({ pk, sk }), { pk, sk }])).values()];
  const batches = Array.from({ length: Math.ceil(distinct.length / batchSize) }, (_, place) =>
    distinct.slice(place * batchSize, (place + 1) * batchSize),
  );
  const found = new Map<string, T>();
  await Promise.all(
    batches.map((batch) =>
      sendBatch(batch, async (left) => {
        const RequestItems = { [tableName]: { Keys: left, ConsistentRead: isConsistent } };
        const command = new BatchGetCommand({ RequestItems, ...capacity });
        const answer = await once("BatchGetItem", () => documents.send(command));
        for (const item of (answer.Responses?.[tableName] ?? []) as T[]) found.set(keyText(item), item);
        return (answer.UnprocessedKeys?.[tableName]?.Keys ?? []) as TableKey[];
      }),
    ),
  );
  return found;
}

async function* scan(
  { documents, tableName, send }: Requests,
  { segment, of }: { segment: number; of: number },
) {
  let ExclusiveStartKey: TableKey | undefined;
  do {
    const command = new ScanCommand({
      TableName: tableName,
      Segment: segment,
      TotalSegments: of,
      ConsistentRead: true,
      ...(ExclusiveStartKey === undefined ? {} : { ExclusiveStartKey }),
      ...capacity,
    });
    const answer = await send("Scan", () => documents.send(command));
    yield (answer.Items ?? []) as Item[];
    ExclusiveStartKey = answer.LastEvaluatedKey as TableKey | undefined;
  } while (ExclusiveStartKey !== undefined);
}

async function queryActor({ documents, tableName, send }: Requests, actor: string, after?: IndexKey) {
  const command = new QueryCommand({
    TableName: tableName,
    IndexName: "actor",
    KeyConditionExpression: "a = :a",
    ExpressionAttributeValues: { ":a": actor },
    ...(after === undefined ? {} : { ExclusiveStartKey: after }),
    ...capacity,
  });
  const answer = await send("Query", () => documents.send(command));
  const keys = (answer.Items ?? []).map((item) => ({ pk: String(item.pk), sk: String(item.sk) }));
  const next = answer.LastEvaluatedKey as IndexKey | undefined;
  return { keys, ...(next === undefined ? {} : { next }) };
}

function queryMembers(asked: Query) {
  const { pk, prefix, from, to, after, limit } = asked;
  const values = { ":pk": pk, ":prefix": prefix, ":from": from, ":to": to };
  return {
    KeyConditionExpression: `pk = :pk${rangeExpression(asked)}`,
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(values).filter(([, value]) => value !== undefined),
    ),
    ConsistentRead: asked.isConsistent ?? true,
    ScanIndexForward: asked.reverse !== true,
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(after === undefined ? {} : { ExclusiveStartKey: { pk, sk: after } }),
  };
}

function rangeExpression({ prefix, from, to }: Query): string {
  if (prefix !== undefined) return " AND begins_with(sk, :prefix)";
  if (from !== undefined && to !== undefined) return " AND sk BETWEEN :from AND :to";
  if (from !== undefined) return " AND sk >= :from";
  return to === undefined ? "" : " AND sk <= :to";
}
