import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChild } from "#tests/support/process/bundled-child";
import { presign } from "./presign.ts";

const bucket = "forge";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const megabyte = randomBytes(1024 * 1024);
const sizeBytes = 200 * megabyte.length;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-s3-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Sends a request to a signed address: the SDK would hash 200 MB on the way. */
async function ask(address: string, method: "GET" | "PUT", body: Readable): Promise<IncomingMessage> {
  const headers = method === "PUT" ? { "content-length": sizeBytes } : {};
  const asked = request(address, { method, headers });
  const answered = once(asked, "response");
  await pipeline(body, asked);
  const [answer] = (await answered) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  return answer;
}

describe("an upload of 200 MB", () => {
  it("passes through flat memory, up and down", async () => {
    const child = await startChild(
      `import { startS3 } from "#infra/local/s3/s3";
      import { createLog } from "#core/log";
      const [folder, bucket] = process.argv.slice(2);
      const { endpoint } = await startS3({ folder, bucket, log: createLog(() => undefined) });
      const used = () => process.memoryUsage.rss();
      console.log(endpoint);
      let peak = 0;
      const before = used();
      setInterval(() => { peak = Math.max(peak, used() - before); }, 5);
      process.on("SIGUSR2", () => console.log(String(peak)));`,
      [folder, bucket],
    );
    const endpoint = await child.nextLine();
    const client = new S3Client({ endpoint, region: "us-east-1", credentials, forcePathStyle: true });
    const signed = (method: "GET" | "PUT") => presign(client, { method, bucket, key: "large" });
    const body = Readable.from(Array.from({ length: 200 }, () => megabyte));
    (await ask(await signed("PUT"), "PUT", body)).resume();
    let found = 0;
    for await (const chunk of await ask(await signed("GET"), "GET", Readable.from([]))) {
      found += (chunk as Buffer).length;
    }
    expect(found).toBe(sizeBytes);
    child.child.kill("SIGUSR2");
    expect(Number(await child.nextLine()) / 1024 / 1024).toBeLessThan(64);
    client.destroy();
    await child.kill();
  });
});
