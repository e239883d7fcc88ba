import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkStores, goesWithTable, recordStores } from "#infra/local/stores";

const embedded = { TABLE_NAME: "coldforge", BUCKET_NAME: "coldforge" };
const bucket = { AWS_ENDPOINT_URL_S3: "http://10.0.0.5:9000", BUCKET_NAME: "forge" };
const table = { AWS_ENDPOINT_URL_DYNAMODB: "http://10.0.0.6:8000", TABLE_NAME: "forge" };
const queues = {
  AWS_ENDPOINT_URL_SQS: "http://10.0.0.7:9324",
  WEBHOOKS_QUEUE_URL: "http://10.0.0.7:9324/queue/webhooks",
  MIRRORS_QUEUE_URL: "http://10.0.0.7:9324/queue/mirrors",
  REPOSITORY_EVENTS_QUEUE_URL: "http://10.0.0.7:9324/queue/events",
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-stores-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("checkStores", () => {
  it.each([
    ["embedded ones", embedded, embedded],
    ["embedded ones, whatever the bucket is called", embedded, { ...embedded, BUCKET_NAME: "other" }],
    ["others", { ...bucket, ...table, ...queues }, { ...queues, ...table, ...bucket }],
    [
      "the same address, written otherwise",
      { ...embedded, ...bucket },
      { ...embedded, ...bucket, AWS_ENDPOINT_URL_S3: "http://10.0.0.5:9000/" },
    ],
  ])("lets a folder go on with the stores it had: %s", async (_, before, now) => {
    checkStores(folder, before);
    await recordStores(folder, before);
    checkStores(folder, now);
  });

  it.each([
    [
      "no bucket elsewhere any more",
      { ...embedded, ...bucket },
      embedded,
      "other objects than the settings name: set AWS_ENDPOINT_URL_S3=http://10.0.0.5:9000 and BUCKET_NAME=forge.",
    ],
    [
      "another bucket",
      { ...embedded, ...bucket },
      { ...embedded, ...bucket, BUCKET_NAME: "forge-2" },
      "set BUCKET_NAME=forge.",
    ],
    [
      "a bucket elsewhere",
      embedded,
      { ...embedded, ...bucket },
      "do not set AWS_ENDPOINT_URL_S3 or BUCKET_NAME.",
    ],
    [
      "another table",
      embedded,
      { ...embedded, TABLE_NAME: "new" },
      "other table than the settings name: set TABLE_NAME=coldforge.",
    ],
    [
      "a table elsewhere",
      embedded,
      { ...embedded, ...table },
      "set TABLE_NAME=coldforge, and do not set AWS_ENDPOINT_URL_DYNAMODB.",
    ],
    [
      "other queues",
      { ...embedded, ...queues },
      { ...embedded, ...queues, MIRRORS_QUEUE_URL: "http://10.0.0.7:9324/queue/m" },
      "other queues than the settings name: set MIRRORS_QUEUE_URL=http://10.0.0.7:9324/queue/mirrors.",
    ],
  ])("refuses others with what to do: %s", async (_, before, now, advice) => {
    await recordStores(folder, before);
    expect(() => checkStores(folder, now)).toThrow(advice);
    expect(() => checkStores(folder, now)).toThrow(`remove ${join(folder, "stores.json")} first`);
    await rm(join(folder, "stores.json"));
    checkStores(folder, now);
  });

  it("names a record that is damaged", async () => {
    await writeFile(join(folder, "stores.json"), "{");
    expect(() => checkStores(folder, embedded)).toThrow(/stores\.json is damaged/);
  });
});

describe("recordStores", () => {
  it("keeps names alone, for this user to read", async () => {
    const secrets = { AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "token", SECRET_KEY: "key" };
    await recordStores(folder, { ...embedded, ...bucket, ...secrets });
    const path = join(folder, "stores.json");
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      table: { TABLE_NAME: "coldforge" },
      objects: bucket,
      queues: {},
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

describe("goesWithTable", () => {
  it("is true of the folder whose table the environment names, and of no other", async () => {
    expect(goesWithTable(folder, table)).toBe(false);
    await recordStores(folder, { ...table, ...bucket });
    expect(goesWithTable(folder, table)).toBe(true);
    expect(goesWithTable(folder, { ...table, TABLE_NAME: "deployed" })).toBe(false);
  });
});
