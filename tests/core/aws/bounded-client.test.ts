import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "#core/config";
import { createForge, type Forge } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import { until } from "#tests/support/until";

/** A service that answers when it is told to; it keeps the requests in their order. */
interface HoldingService {
  readonly endpoint: string;
  readonly held: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
  stop(): Promise<void>;
}

async function startHolding(): Promise<HoldingService> {
  const held: HoldingService["held"] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    held.push({ request, response });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const message = { kind: "told" };
const digestOf = (told: object) => createHash("md5").update(JSON.stringify(told)).digest("hex");

/** Longer than a connection may take to be made, and shorter than an answer may take to come. */
const pastConnectingMs = 4_000;

describe("many requests at the same time", () => {
  let service: HoldingService;
  let forge: Forge;
  beforeEach(async () => {
    service = await startHolding();
    for (const name of ["DYNAMODB", "S3", "SQS"]) vi.stubEnv(`AWS_ENDPOINT_URL_${name}`, service.endpoint);
    vi.stubEnv("AWS_REGION", "us-east-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local-secret");
    forge = createForge(
      readConfig({
        TABLE_NAME: "forge",
        BUCKET_NAME: "forge",
        WEBHOOKS_QUEUE_URL: `${service.endpoint}/1/q`,
      }),
    );
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await service.stop();
  });

  it("wait for a connection to the table without failing and without asking twice", async () => {
    const usage = noUsage();
    const table = forge.table.countedBy(countInto(usage));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = Promise.all(Array.from({ length: 100 }, (_, at) => table.get({ pk: `A#${at}`, sk: "A" })));
    await until(() => service.held.length === 50);
    vi.advanceTimersByTime(pastConnectingMs);
    for (let answered = 0; answered < 100; answered += 1) {
      await until(() => service.held.length > answered);
      const { response } = service.held[answered] as HoldingService["held"][number];
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end("{}");
    }
    expect(await asked).toEqual(Array.from({ length: 100 }, () => undefined));
    expect(usage.operations).toEqual({ "dynamodb:GetItem": 100 });
    expect(service.held).toHaveLength(100);
  });

  it("wait for a connection to a queue without failing and without asking twice", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sent = Promise.all(Array.from({ length: 100 }, () => forge.queues.send("webhooks", [message])));
    await until(() => service.held.length === 50);
    vi.advanceTimersByTime(pastConnectingMs);
    for (let answered = 0; answered < 100; answered += 1) {
      await until(() => service.held.length > answered);
      const { response } = service.held[answered] as HoldingService["held"][number];
      const Successful = [{ Id: "0", MessageId: "m", MD5OfMessageBody: digestOf(message) }];
      const body = JSON.stringify({ Successful, Failed: [] });
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(body);
    }
    await sent;
    expect(service.held).toHaveLength(100);
  });

  it("wait for a connection to the bucket until bodies that stand still go on", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = Promise.all(Array.from({ length: 230 }, (_, at) => forge.blobs.read(`o${at}`, 0, 4)));
    await until(() => service.held.length === 200);
    for (const { response } of service.held) {
      response.writeHead(206, { "content-length": 4 }).write("12");
    }
    vi.advanceTimersByTime(60_000);
    for (const { response } of service.held) response.end("34");
    await until(() => service.held.length === 230);
    for (const { response } of service.held.slice(200)) {
      response.writeHead(206, { "content-length": 4 }).end("1234");
    }
    const read = await asked;
    expect(new Set(read.map(String))).toEqual(new Set(["1234"]));
  });
});
