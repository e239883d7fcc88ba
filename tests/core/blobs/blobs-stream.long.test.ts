import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { boundRequests } from "#core/aws/internal/bounded-client";
import { type Blobs, createBlobs } from "#core/blobs";
import { FairShare } from "#core/capacity/fair-share";
import { makeForge, type TestForge } from "#tests/support/forge";
import { countMeasured, measured } from "#tests/support/measured";
import { until } from "#tests/support/until";

const megabyte = 2 ** 20;
const bytes = randomBytes(8 * megabyte);
const key = "streamed";
const digest = (data: Uint8Array) => createHash("sha256").update(data).digest("hex");

/** A bucket's door with connections that can be counted. */
interface Store {
  readonly blobs: Blobs;
  /** Connections with an answer on its way, read or not. */
  held(): number;
}

const opened: S3Client[] = [];
function storeFor(
  on: TestForge,
  {
    most = 50,
    socketTimeout = 30_000,
    endpoint = on.standIns.s3Endpoint,
    memory = undefined as FairShare | undefined,
  } = {},
): Store {
  const agent = new Agent({ keepAlive: true, maxSockets: most });
  const client = new S3Client({
    ...{ endpoint, region: on.standIns.region, credentials: on.standIns.credentials, forcePathStyle: true },
    requestHandler: { httpAgent: agent, connectionTimeout: 2_000, socketTimeout },
  });
  opened.push(client);
  boundRequests(client, most);
  return {
    blobs: createBlobs({
      ...{ bucket: on.standIns.bucket, client: async () => client, count: countMeasured, memory },
    }),
    held: () => Object.values(agent.sockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0),
  };
}

describe("a stream of an object", () => {
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge();
    await on.forge.blobs.put(key, bytes);
  });
  afterEach(() => {
    for (const client of opened.splice(0)) client.destroy();
  });
  afterAll(() => on.stop());

  async function rest(stream: AsyncIterator<Uint8Array>, first: IteratorResult<Uint8Array>): Promise<Buffer> {
    const chunks = [first.value as Uint8Array];
    for (let next = await stream.next(); !next.done; next = await stream.next()) chunks.push(next.value);
    return Buffer.concat(chunks);
  }

  it("takes one request for a reader who keeps up", async () => {
    const { blobs, held } = storeFor(on);
    const { usage } = await measured(async () => {
      const stream = blobs.stream(key)[Symbol.asyncIterator]();
      expect(digest(await rest(stream, await stream.next()))).toBe(digest(bytes));
    });
    expect(usage).toMatchObject({ blobReads: 1, blobBytesRead: bytes.length });
    await until(() => held() === 0);
  });

  it("holds no connection while its reader pauses, and gives them the rest in parts out of memory", async () => {
    const { blobs, held } = storeFor(on);
    const { usage } = await measured(async () => {
      const stream = blobs.stream(key)[Symbol.asyncIterator]();
      const first = await stream.next();
      expect(held()).toBe(1);
      await until(() => held() === 0);
      expect(digest(await rest(stream, first))).toBe(digest(bytes));
    });
    // What came over the first connection, and a request for each megabyte of what was left.
    expect(usage).toMatchObject({ blobReads: 9, blobBytesRead: bytes.length });
  });

  it("holds no more for many slow readers than there is memory, but for little parts", async () => {
    const memory = new FairShare({ most: 6 * megabyte, mostPerCaller: 2 * megabyte });
    const { blobs, held } = storeFor(on, { memory });
    const streams = Array.from({ length: 8 }, () =>
      blobs.stream(key, 0, 2 * megabyte)[Symbol.asyncIterator](),
    );
    const firsts = await Promise.all(streams.map((stream) => stream.next()));
    await until(() => held() === 0);
    const seconds = await Promise.all(streams.map((stream) => stream.next()));
    expect(memory.held).toBe(2 * megabyte + 6 * 64 * 1024);
    const wholes = streams.map(async (stream, index) =>
      Buffer.concat([
        firsts[index]?.value as Uint8Array,
        await rest(stream, seconds[index] as IteratorResult<Uint8Array>),
      ]),
    );
    const expected = digest(bytes.subarray(0, 2 * megabyte));
    for (const whole of await Promise.all(wholes)) expect(digest(whole)).toBe(expected);
    expect(memory.held).toBe(0);
  });

  it("is whole for a reader who pauses for longer than the bucket may be silent", async () => {
    const { blobs, held } = storeFor(on, { socketTimeout: 150 });
    const stream = blobs.stream(key, 0, bytes.length)[Symbol.asyncIterator]();
    const first = await stream.next();
    await until(() => held() === 0);
    expect(digest(await rest(stream, first))).toBe(digest(bytes));
  });

  it("takes one request for a megabyte, however slowly it is read", async () => {
    const { blobs, held } = storeFor(on);
    const { usage } = await measured(async () => {
      const stream = blobs.stream(key, 5, megabyte + 5)[Symbol.asyncIterator]();
      const first = await stream.next();
      await until(() => held() === 0);
      expect(digest(await rest(stream, first))).toBe(digest(bytes.subarray(5, megabyte + 5)));
    });
    expect(usage).toMatchObject({ blobReads: 1 });
  });

  it("lets others read while many readers stand still", async () => {
    const { blobs } = storeFor(on, { most: 3 });
    const streams = Array.from({ length: 12 }, () => blobs.stream(key)[Symbol.asyncIterator]());
    const firsts = await Promise.all(streams.map((stream) => stream.next()));
    expect(digest(await blobs.read(key, 7, 3 * megabyte))).toBe(digest(bytes.subarray(7, 3 * megabyte)));
    const wholes = await Promise.all(
      streams.map((stream, at) => rest(stream, firsts[at] as IteratorResult<Uint8Array>)),
    );
    expect(new Set(wholes.map(digest))).toEqual(new Set([digest(bytes)]));
  });

  it("gives its connection back when it is left, also where the SDK checks what comes", async () => {
    // S3 answers whole objects with their checksum; the SDK puts a stream of its own around such bodies.
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-length": bytes.length, "x-amz-checksum-crc32": "AAAAAA==" });
      response.write(bytes.subarray(0, megabyte));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { blobs, held } = storeFor(on, { endpoint });
    for await (const chunk of blobs.stream(key)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await until(() => held() === 0);
    server.closeAllConnections();
    server.close();
  });

  it.each([1_000, 200_000, 5 * megabyte])(
    "refuses an object of %d bytes whose checksum does not hold, in one piece or in two",
    async (length) => {
      for (const pieces of [1, 2]) {
        const server = createServer(async (_request, response) => {
          response.writeHead(200, { "content-length": length, "x-amz-checksum-crc32": "AAAAAA==" });
          if (pieces === 2) await new Promise((sent) => response.write(bytes.subarray(0, 500), sent));
          response.end(bytes.subarray(pieces === 2 ? 500 : 0, length));
        }).listen(0, "127.0.0.1");
        await once(server, "listening");
        const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const { blobs } = storeFor(on, { endpoint });
        await expect(blobs.get(key)).rejects.toThrow(/checksum/i);
        server.closeAllConnections();
        server.close();
      }
    },
  );
});
