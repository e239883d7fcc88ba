import { mkdtemp, open, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createLog } from "#core/log";
import { makeDurableFolder } from "#infra/local/durable-file";
import { type S3, startS3 } from "#infra/local/s3/s3";

const bucket = "forge";
const credentials = { accessKeyId: "local", secretAccessKey: "secret" };
let folder: string;
let s3: S3;
let client: S3Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-full-"));
  s3 = await startS3({ folder, bucket, credentials, log: createLog(() => undefined) });
  client = new S3Client({
    endpoint: s3.endpoint,
    region: "us-east-1",
    credentials,
    forcePathStyle: true,
    requestHandler: { httpAgent: new Agent({ keepAlive: true, maxSockets: 1 }) },
  });
});
afterAll(async () => {
  client.destroy();
  await s3.stop();
  await rm(folder, { recursive: true });
});

it("answers the next request of a connection after a body that it refused in the middle, as a full disk does", async () => {
  const probe = await open(join(folder, "probe"), "w");
  const prototype = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  vi.spyOn(prototype, "appendFile").mockRejectedValueOnce(full);
  const large = new PutObjectCommand({ Bucket: bucket, Key: "large", Body: Buffer.alloc(16 * 2 ** 20) });
  await expect(client.send(large)).rejects.toMatchObject({ name: "InsufficientStorage" });
  const next = client.send(new GetObjectCommand({ Bucket: bucket, Key: "large" }));
  await expect(next).rejects.toMatchObject({ name: "NoSuchKey" });
});

it("says why a folder can't be made, and does not try for ever", async () => {
  await expect(makeDurableFolder("/proc/nothing/below")).rejects.toMatchObject({ code: "ENOENT" });
  const path = join(folder, "one", "two", "three");
  await makeDurableFolder(path);
  await makeDurableFolder(path);
  await expect(makeDurableFolder(join(folder, "probe", "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
});
