import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTable } from "#core/table";
import type { Write } from "#core/table/write";

/** Writes into the table of the server that runs on a data folder. */
export async function writeBeside(folder: string, write: Write): Promise<void> {
  const services = JSON.parse(readFileSync(join(folder, "tmp", "services.json"), "utf8"));
  const client = new DynamoDBClient({
    endpoint: services.AWS_ENDPOINT_URL_DYNAMODB,
    region: services.AWS_REGION,
    credentials: {
      accessKeyId: services.AWS_ACCESS_KEY_ID,
      secretAccessKey: services.AWS_SECRET_ACCESS_KEY,
    },
  });
  await createTable({ client, name: services.TABLE_NAME }).write(write);
  client.destroy();
}
