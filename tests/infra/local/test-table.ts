import { randomUUID } from "node:crypto";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { connectTarget } from "./target.ts";

/** An item as the document client gives it. */
export type Item = Record<string, unknown>;
/** One of a transaction's actions. */
export type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The options of a put that may not replace anything. */
export const onlyIfAbsent = { ConditionExpression: "attribute_not_exists(pk)" };

/** Short names for what the conformance tests send to a table. */
export type TestTable = Awaited<ReturnType<typeof openTestTable>>;

/** Connects to the table under test. `close` removes every item that was left in the partitions. */
export async function openTestTable() {
  const target = await connectTarget();
  const client = DynamoDBDocumentClient.from(target.dynamodb, {
    marshallOptions: { removeUndefinedValues: true },
  });
  const TableName = target.table;
  const partitions: string[] = [];
  const query = (pk: string, options: Partial<QueryCommandInput> = {}) =>
    client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ConsistentRead: true,
        ...options,
      }),
    );
  const items = async (pk: string): Promise<Item[]> => (await query(pk)).Items ?? [];
  return {
    client,
    TableName,
    query,
    items,
    /** A partition that no other test uses. */
    partition() {
      const pk = `conformance#${randomUUID()}`;
      partitions.push(pk);
      return pk;
    },
    put: (item: Item, options: object = {}) =>
      client.send(new PutCommand({ TableName, Item: item, ...options })),
    get: async (pk: string, sk: string): Promise<Item | undefined> =>
      (await client.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))).Item,
    update: (pk: string, sk: string, options: object) =>
      client.send(new UpdateCommand({ TableName, Key: { pk, sk }, ...options })),
    transact: (actions: Action[], options: object = {}) =>
      client.send(new TransactWriteCommand({ TransactItems: actions, ...options })),
    async close() {
      try {
        for (const pk of partitions) {
          for (const { sk } of await items(pk)) {
            await client.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
          }
        }
      } finally {
        await target.stop();
      }
    },
  };
}
