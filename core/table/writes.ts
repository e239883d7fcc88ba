import type { Table } from "../table.ts";
import { writeFailure } from "./internal/retry.ts";
import type { Requests } from "./requests.ts";
import { compileWrite, keyOf, keyText, type TableKey, type Write } from "./write.ts";

type Writes = Pick<Table, "write" | "increment" | "removeAll">;

const batchSize = 25;

/** The plain writes of the store. */
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

async function sendWrite({ tableName, send }: Requests, write: Write): Promise<void> {
  if ("check" in write) throw new TypeError("a condition check stands only in a transaction");
  const members = compileWrite(write, tableName);
  if ("put" in write) await send("PutItem", { ...members, Item: write.put });
  else if ("update" in write) await send("UpdateItem", { ...members, Key: keyOf(write) });
  else await send("DeleteItem", { ...members, Key: keyOf(write) });
}

async function increment(requests: Requests, { pk, sk }: TableKey, attribute: string, by: number) {
  const answer = await requests.send("UpdateItem", {
    TableName: requests.tableName,
    Key: { pk, sk },
    UpdateExpression: "ADD #n :by",
    ExpressionAttributeNames: { "#n": attribute },
    ExpressionAttributeValues: { ":by": by },
    ReturnValues: "UPDATED_NEW",
  });
  return Number(answer.Attributes?.[attribute]);
}

function removeBatch({ tableName, once, sendBatch }: Requests, keys: readonly TableKey[]) {
  return sendBatch(keys, async (left) => {
    const requests = left.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    const answer = await once("BatchWriteItem", { RequestItems: { [tableName]: requests } });
    return (answer.UnprocessedItems?.[tableName] ?? []).flatMap((one) => one.DeleteRequest?.Key ?? []);
  });
}
