import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { put } from "#core/table/write";
import { expire, objectLifetimes, startExpiry } from "#infra/local/expiry";
import { makeForge, type TestForge } from "#tests/support/forge";
import { declaredShape } from "../aws/declared-shape.ts";

let made: TestForge;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

const day = 24 * 3600;
const never = new AbortController().signal;

it("removes items whose ttl is over, and no others", async () => {
  const { forge, clock, direct } = made;
  const now = Math.floor(clock.now() / 1000);
  for (const [sk, ttl] of Object.entries({ over: now - 1, now, later: now + 60 })) {
    await forge.table.write(put({ pk: "EXPIRY", sk, ttl }));
  }
  await forge.table.write(put({ pk: "EXPIRY", sk: "without" }));
  expect(await expire(forge, direct, never)).toMatchObject({ items: 1 });
  const left = await forge.table.queryAll({ pk: "EXPIRY" });
  expect(left.map(({ sk }) => sk)).toEqual(["later", "now", "without"]);
});

it("removes objects whose lifetime is over, by prefix", async () => {
  const { forge, clock, direct } = made;
  const name = randomUUID();
  const written = Date.now(); // the stand-in dates objects by the machine's clock
  for (const prefix of ["deliveries/", "q/", "r/"]) await forge.blobs.put(prefix + name, Buffer.from("x"));
  const left = async () => {
    const keys: string[] = [];
    for await (const { key } of forge.blobs.list("")) if (key.endsWith(name)) keys.push(key);
    return keys;
  };
  clock.set(written + 7.5 * day * 1000);
  await expire(forge, direct, never);
  expect(await left()).toEqual([`deliveries/${name}`, `r/${name}`]);
  clock.set(written + 8.5 * day * 1000);
  await expire(forge, direct, never);
  expect(await left()).toEqual([`r/${name}`]);
});

it("gives up uploads in parts that began more than a day ago, and no others", async () => {
  const { forge, clock, direct, standIns } = made;
  const client = new S3Client({ ...standIns, endpoint: standIns.s3Endpoint, forcePathStyle: true });
  onTestFinished(() => client.destroy());
  const Bucket = standIns.bucket;
  const begun = Date.now(); // as above
  for (const Key of ["r/7/p/old.pack", "archives/old.zip", "others/old"]) {
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  }
  const left = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    return Uploads.map(({ Key }) => Key);
  };
  clock.set(begun + 0.9 * day * 1000);
  expect(await expire(forge, direct, never)).toMatchObject({ uploads: 0 });
  expect(await left()).toEqual(["archives/old.zip", "others/old", "r/7/p/old.pack"]);
  clock.set(begun + 1.1 * day * 1000);
  expect(await expire(forge, direct, never)).toMatchObject({ uploads: 2 });
  expect(await left()).toEqual(["others/old"]);
});

it("does the rest where one thing fails, and all of it in the next round", async () => {
  const { forge, clock, faults, logged, standIns } = made;
  const rounds = () => logged.filter((line) => line.event === "expiry:done");
  await forge.table.write(put({ pk: "EXPIRY", sk: "again", ttl: Math.floor(clock.now() / 1000) - 1 }));
  faults.inject({ service: "s3", operation: "ListObjectsV2", fault: new Error("the bucket is away") });
  const client = new DynamoDBClient({ ...standIns, endpoint: standIns.dynamodbEndpoint });
  const running = startExpiry(forge, { firstAfterMs: 1, everyMs: 1 }, client);
  await expect.poll(() => rounds().length).toBeGreaterThan(1);
  await running.stop();
  const [first, second] = rounds();
  expect(first).toMatchObject({ items: 1, uploads: 0 });
  expect(second).toMatchObject({ items: 0, objects: 0, uploads: 0 });
  const failed = logged.filter((line) => line.event === "expiry:failed");
  expect(failed).toMatchObject([{ kind: "objects" }]);
});

it("keeps the lifetimes that are deployed", async () => {
  const shape = await declaredShape("test", {
    SecretKey: Buffer.alloc(32).toString("base64"),
    OriginSecret: "an-origin-secret-of-32-characters",
  });
  const deployed = shape.bucket.lifecycle.flatMap(({ prefix, expiresAfterDays }) =>
    prefix === undefined || expiresAfterDays === undefined ? [] : [{ prefix, days: expiresAfterDays }],
  );
  expect(deployed.sort((one, other) => one.prefix.localeCompare(other.prefix))).toEqual(objectLifetimes);
});
