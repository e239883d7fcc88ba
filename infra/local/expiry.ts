import { setTimeout as pause } from "node:timers/promises";
import { DeleteItemCommand, DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import type { Forge } from "#core/forge";

/** Objects that are removed when they are older than this, like the deployed bucket's lifecycle rules. */
export const objectLifetimes: readonly { readonly prefix: string; readonly days: number }[] = [
  { prefix: "archives/", days: 1 },
  { prefix: "deliveries/", days: 8 },
  { prefix: "q/", days: 7 },
];

/**
 * Prefixes of uploads in parts; a stop leaves the parts that came. They are aborted after the same time as in the
 * deployed bucket.
 */
const partPrefixes = ["archives/", "r/"];
const unfinishedDays = 1;

const dayMs = 24 * 3600 * 1000;
const betweenPagesMs = 100;

/** When rounds are made. */
interface Rhythm {
  readonly firstAfterMs: number;
  readonly everyMs: number;
}
const calm: Rhythm = { firstAfterMs: 10 * 60 * 1000, everyMs: 6 * 3600 * 1000 };

/** How much a round has removed. */
interface Removed {
  items?: number;
  objects?: number;
  uploads?: number;
}

/**
 * Does the work of AWS that the stand-ins don't do: removes items whose `ttl` is over, objects whose time is over, and
 * the parts of unfinished uploads. Begins some minutes after the start and then every six hours, a page at a time.
 * `stop` ends it after the page.
 */
export function startExpiry(
  forge: Forge,
  { firstAfterMs, everyMs } = calm,
  client = new DynamoDBClient({}),
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    for (let delayMs = firstAfterMs; ; delayMs = everyMs) {
      await pause(delayMs, undefined, { signal, ref: false });
      forge.log.info("expiry:done", { ...(await expire(forge, client, signal)) });
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    async stop() {
      stopping.abort();
      await running;
      client.destroy();
    },
  };
}

/** One round over the table and the bucket. A failure is logged and left to the next one; the rest is done. */
export async function expire(forge: Forge, client: DynamoDBClient, signal: AbortSignal): Promise<Removed> {
  const removed: Removed = {};
  const kinds = { items: expireItems, objects: expireObjects, uploads: expireUploads };
  for (const kind of ["items", "objects", "uploads"] as const) {
    try {
      removed[kind] = await kinds[kind](forge, client, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      forge.log.error("expiry:failed", { kind, error });
    }
  }
  return removed;
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

async function expireUploads(forge: Forge): Promise<number> {
  const before = new Date(forge.clock.now() - unfinishedDays * dayMs);
  let aborted = 0;
  for (const prefix of partPrefixes) aborted += await forge.blobs.abortUnfinished(prefix, before);
  return aborted;
}
