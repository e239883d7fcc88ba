import { defined } from "../defined.ts";
import type { Query, QueryPage, Table } from "../table.ts";
import { possibleRange, type Range } from "./internal/range.ts";
import { queryPages } from "./query-pages.ts";
import type { Requests } from "./requests.ts";
import { type Item, keyText, type TableKey } from "./write.ts";

type Reads = Pick<Table, "get" | "getAll" | "query" | "queryAll" | "queryActor" | "scan">;
type IndexKey = TableKey & { a: string; as: string };

const batchSize = 100;
const longestKeyBytes = { pk: 2048, sk: 1024 };

/**
 * Whether an item may lie under a key: DynamoDB refuses empty and overlong ones, and callers look for names of any
 * length. An impossible key is absent.
 */
const isPossible = (key: TableKey): boolean =>
  (["pk", "sk"] as const).every(
    (name) => key[name] !== "" && Buffer.byteLength(key[name]) <= longestKeyBytes[name],
  );

/** The reading half of the store. Strongly consistent by default. */
export function createReads(requests: Requests): Reads {
  const { tableName: TableName } = requests;
  async function query<T extends Item>(asked: Query): Promise<QueryPage<T>> {
    const range = possibleRange(asked);
    if (range === undefined || !isPossible({ pk: asked.pk, sk: "any" })) return { items: [] };
    const { pk, limit, reverse, isConsistent } = asked;
    const answer = await requests.send("Query", {
      TableName,
      ...rangeMembers(pk, range),
      ConsistentRead: isConsistent ?? true,
      ScanIndexForward: reverse !== true,
      Limit: limit,
    });
    const next = answer.LastEvaluatedKey?.sk as string | undefined;
    return { items: (answer.Items ?? []) as T[], ...defined({ next }) };
  }
  return {
    async get<T extends Item>({ pk, sk }: TableKey, { isConsistent = true } = {}) {
      if (!isPossible({ pk, sk })) return undefined;
      const members = { TableName, Key: { pk, sk }, ConsistentRead: isConsistent };
      return (await requests.send("GetItem", members)).Item as T | undefined;
    },
    getAll: (keys, { isConsistent = true } = {}) => getAll(requests, keys, isConsistent),
    query,
    async queryAll<T extends Item>(asked: Query) {
      const items: T[] = [];
      for await (const page of queryPages<T>({ query }, asked)) for (const item of page) items.push(item);
      return items;
    },
    queryActor: (actor, after) => queryActor(requests, actor, after),
    scan: (part) => scan(requests, part),
  };
}

async function getAll<T extends Item>(
  { tableName, once, sendBatch }: Requests,
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
        const answer = await once("BatchGetItem", { RequestItems });
        for (const item of (answer.Responses?.[tableName] ?? []) as T[]) found.set(keyText(item), item);
        return answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
      }),
    ),
  );
  return found;
}

async function* scan({ tableName, send }: Requests, { segment, of }: { segment: number; of: number }) {
  let ExclusiveStartKey: TableKey | undefined;
  do {
    const part = { TableName: tableName, Segment: segment, TotalSegments: of };
    const answer = await send("Scan", { ...part, ConsistentRead: true, ExclusiveStartKey });
    yield (answer.Items ?? []) as Item[];
    ExclusiveStartKey = answer.LastEvaluatedKey as TableKey | undefined;
  } while (ExclusiveStartKey !== undefined);
}

async function queryActor({ tableName, send }: Requests, actor: string, after?: IndexKey) {
  const answer = await send("Query", {
    TableName: tableName,
    IndexName: "actor",
    KeyConditionExpression: "a = :a",
    ExpressionAttributeValues: { ":a": actor },
    ExclusiveStartKey: after,
  });
  const keys = (answer.Items ?? []).map((item) => ({ pk: String(item.pk), sk: String(item.sk) }));
  const next = answer.LastEvaluatedKey as IndexKey | undefined;
  return { keys, ...defined({ next }) };
}

function rangeMembers(pk: string, range: Range) {
  const { prefix, from, to, after } = range;
  return {
    KeyConditionExpression: `pk = :pk${rangeExpression(range)}`,
    ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix, ":from": from, ":to": to },
    ExclusiveStartKey: after === undefined ? undefined : { pk, sk: after },
  };
}

function rangeExpression({ prefix, from, to }: Range): string {
  if (prefix !== undefined) return " AND begins_with(sk, :prefix)";
  if (from !== undefined && to !== undefined) return " AND sk BETWEEN :from AND :to";
  if (from !== undefined) return " AND sk >= :from";
  return to === undefined ? "" : " AND sk <= :to";
}
