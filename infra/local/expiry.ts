import { setTimeout as pause } from "node:timers/promises";
import { DeleteItemCommand, DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import type { Forge } from "#core/forge";

/** Objects that go when they are older than this: what the deployed bucket's lifecycle rules do. */
export const objectLifetimes: readonly { readonly prefix: string; readonly days: number }[] = [
  { prefix: "archives/", days: 1 },
  { prefix: "deliveries/", days: 8 },
  { prefix: "q/", days: 7 },
];

const dayMs = 24 * 3600 * 1000;
const everyMs = 6 * 3600 * 1000;
const firstAfterMs = 10 * 60 * 1000;
const betweenPagesMs = 100;

/**
 * Does what AWS does by itself and the stand-ins do not: removes items whose `ttl` is over and objects whose time is.
 * Begins some minutes after the start and then every six hours, a page at a time. `stop` ends it after the page.
 */
export function startExpiry(forge: Forge): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const client = new DynamoDBClient({});
  const running = (async () => {
    for (let delayMs = firstAfterMs; ; delayMs = everyMs) {
      await pause(delayMs, undefined, { signal, ref: false });
      const removed = await expire(forge, client, signal);
      forge.log.info("expiry:done", removed);
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) forge.log.error("expiry:failed", { error });
  });
  return {
    async stop() {
      stopping.abort();
      await running;
      client.destroy();
    },
  };
}

/** One round over the table and the bucket; answers how much went. */
export async function expire(
  forge: Forge,
  client: DynamoDBClient,
  signal: AbortSignal,
): Promise<{ items: number; objects: number }> {
  return { items: await expireItems(forge, client, signal), objects: await expireObjects(forge) };
}

async function expireItems(forge: Forge, client: DynamoDBClient, signal: AbortSignal): Promise<number> {
  const TableName = forge.table.name;
  const pages = paginateScan(
    { client },
    {
      TableName,
      FilterExpression: "#ttl < :now",
      ProjectionExpression: "pk, sk",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":now": { N: String(Math.floor(forge.clock.now() / 1000)) } },
    },
  );
  let removed = 0;
  for await (const { Items = [] } of pages) {
    for (const { pk, sk } of Items) {
      if (pk === undefined || sk === undefined) continue;
      removed += await removeExpired(client, TableName, { pk, sk }, forge.clock.now());
    }
    await pause(betweenPagesMs, undefined, { signal });
  }
  return removed;
}

/** The condition spares an item that was given more time since the page was read. */
async function removeExpired(
  client: DynamoDBClient,
  TableName: string,
  Key: NonNullable<ConstructorParameters<typeof DeleteItemCommand>[0]["Key"]>,
  nowMs: number,
): Promise<number> {
  try {
    await client.send(
      new DeleteItemCommand({
        TableName,
        Key,
        ConditionExpression: "#ttl < :now",
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExpressionAttributeValues: { ":now": { N: String(Math.floor(nowMs / 1000)) } },
      }),
    );
    return 1;
  } catch (error) {
    if ((error as Error).name === "ConditionalCheckFailedException") return 0;
    throw error;
  }
}

async function expireObjects(forge: Forge): Promise<number> {
  let removed = 0;
  for (const { prefix, days } of objectLifetimes) {
    const before = forge.clock.now() - days * dayMs;
    const old: string[] = [];
    for await (const { key, modified } of forge.blobs.list(prefix)) {
      if (modified.getTime() < before) old.push(key);
    }
    await forge.blobs.remove(old);
    removed += old.length;
  }
  return removed;
}
