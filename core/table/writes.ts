import { BatchWriteCommand, DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../table.ts";
import { capacity, type Requests } from "./requests.ts";
import { writeFailure } from "./retry.ts";
import { compileWrite, keyOf, keyText, type TableKey, type Write } from "./write.ts";

type Writes = Pick<Table, "write" | "increment" | "removeAll">;

const batchSize = 25;

/** The plain writes of the door. */
export function createWrites(requests: Requests): Writes {
  return {
    async write(write) {
      try {
        await sendWrite(requests, write);
        return true;
      } catch (error) {
        if (writeFailure(error) !== "condition") throw error;
        return false;
      }
    },
    increment: (key, attribute, by = 1) => increment(requests, key, attribute, by),
    async removeAll(keys) {
      const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
      for (let at = 0; at < distinct.length; at += batchSize) {
        await removeBatch(requests, distinct.slice(at, at + batchSize));
      }
    },
  };
}

async function sendWrite({ documents, tableName, send }: Requests, write: Write): Promise<void> {
  const members = { ...compileWrite(write, tableName), ...capacity };
  if ("check" in write) throw new TypeError("a condition check stands only in a transaction");
  if ("put" in write) {
    const command = new PutCommand({ ...members, Item: write.put });
    await send("PutItem", () => documents.send(command));
  } else if ("update" in write) {
    const command = new UpdateCommand({ ...members, Key: keyOf(write) });
    await send("UpdateItem", () => documents.send(command));
  } else {
    const command = new DeleteCommand({ ...members, Key: keyOf(write) });
    await send("DeleteItem", () => documents.send(command));
  }
}

async function increment(requests: Requests, { pk, sk }: TableKey, attribute: string, by: number) {
  const command = new UpdateCommand({
    TableName: requests.tableName,
    Key: { pk, sk },
    UpdateExpression: "ADD #n :by",
    ExpressionAttributeNames: { "#n": attribute },
    ExpressionAttributeValues: { ":by": by },
    ReturnValues: "UPDATED_NEW",
    ...capacity,
  });
  const answer = await requests.send("UpdateItem", () => requests.documents.send(command));
  return Number(answer.Attributes?.[attribute]);
}

function removeBatch({ documents, tableName, once, sendBatch }: Requests, keys: readonly TableKey[]) {
  return sendBatch(keys, async (left) => {
    const requests = left.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    const command = new BatchWriteCommand({ RequestItems: { [tableName]: requests }, ...capacity });
    const answer = await once("BatchWriteItem", () => documents.send(command));
    const unprocessed = answer.UnprocessedItems?.[tableName] ?? [];
    return unprocessed.map((one) => one.DeleteRequest?.Key as unknown as TableKey);
  });
}
