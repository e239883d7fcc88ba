import { createHmac } from "node:crypto";
import type { APIGatewayProxyStructuredResultV2, SQSEvent, SQSRecord } from "aws-lambda";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { outbox } from "#core/events/outbox";
import type { QueueMessage, QueueName } from "#core/events/queue-message";
import { createDelivery, keepPayload } from "#core/hook/delivery";
import { createHook } from "#core/hook/hook";
import { createUser } from "#core/user/create";
import { endpointGroups } from "#functions/api/endpoints";
import { edgeHeaders } from "#functions/http/edge-headers";
import type { EdgeRequest } from "#tests/support/edge/messages";
import { proxyEvent } from "#tests/support/edge/proxy-event";
import { startReceiver } from "#tests/support/servers/receiver";
import { type DeployedFunctions, startDeployedFunctions } from "./deployed-functions.ts";

/** As deployed (minified); about 100 ms of a cold start a megabyte. What needs more is loaded when it is used. */
const budgetBytes = 1_850_000;

let deployed: DeployedFunctions;
beforeAll(async () => {
  deployed = await startDeployedFunctions();
});
afterEach(() => deployed.stopStarted());
afterAll(() => deployed.stop());
const forge = () => deployed.standIns.forge;

/** A request as it comes through the router and the gateway. */
function event(request: Partial<EdgeRequest> & { path: string }) {
  const added = {
    [edgeHeaders.uri]: request.path,
    [edgeHeaders.originSecret]: deployed.secrets.OriginSecret,
  };
  const headers = { "x-forwarded-for": "192.0.2.1", ...added, ...request.headers };
  const whole = { method: "GET", query: "", body: Buffer.alloc(0), ...request, headers };
  return proxyEvent(whole, "origin.example.amazonaws.com");
}

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

describe("each bundled handler", () => {
  it("loads modules within its budget at a cold start, and needs no package beside them", () => {
    for (const name of deployed.names) {
      expect(deployed.coldStart(name).bytes, name).toBeLessThan(budgetBytes);
    }
  });

  it("leaves what few requests need to modules that are loaded when it is used", () => {
    const rarelyUsed = [
      "re2js",
      "yaml",
      "@fastify/busboy",
      "ldapts",
      "otpauth",
      "openid-client",
      "@aws-sdk/client-s3",
      "@aws-sdk/client-sqs",
    ];
    for (const name of deployed.names) {
      const { packages } = deployed.coldStart(name);
      expect(packages, name).toContain("zod");
      expect([name, rarelyUsed.filter((one) => packages.has(one))]).toEqual([name, []]);
    }
  });

  it("fails at its first event without the table's link, naming the setting", async () => {
    for (const name of deployed.names) {
      const called = deployed
        .start(name, { without: ["Table"] })
        .then((handler) => handler.invoke({ Records: [] }));
      await expect(called, name).rejects.toThrow(/TABLE_NAME/);
    }
  });
});

describe("Api", () => {
  it("200: answers a GET of API Gateway", async () => {
    const api = await deployed.start("Api");
    const answer = (await api.invoke(
      event({ path: "/api/v1/version" }),
    )) as APIGatewayProxyStructuredResultV2;
    expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: false });
    expect(JSON.parse(answer.body ?? "")).toHaveProperty("version");
  });

  it("201: reads a base64 body, cookies beside it, and writes through its links", async () => {
    await createUser(forge(), { name: "ada", email: "ada@example.org", password: "correct horse" });
    const api = await deployed.start("Api");
    const created = event({
      path: "/api/v1/users/ada/tokens",
      method: "POST",
      headers: {
        authorization: basic("ada", "correct horse"),
        "content-type": "application/json",
        cookie: "lang=fi; theme=dark",
      },
      body: Buffer.from(JSON.stringify({ name: "laptop", scopes: ["read:user"] })),
    });
    const encoded = {
      ...created,
      body: Buffer.from(created?.body ?? "").toString("base64"),
      isBase64Encoded: true,
    };
    const answer = (await api.invoke(encoded)) as APIGatewayProxyStructuredResultV2;
    expect(answer.statusCode).toBe(201);
    const { sha1 } = JSON.parse(answer.body ?? "") as { sha1: string };
    const whoAmI = event({ path: "/api/v1/user", headers: { authorization: `token ${sha1}` } });
    expect(await api.invoke(whoAmI)).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('"ada"'),
    });
  });

  it("finds a path that the gateway decoded by the router's header", async () => {
    const api = await deployed.start("Api");
    const cut = event({ path: "/api/v1/users/a%3Fb" });
    expect(cut?.rawPath).toBe("/api/v1/users/a");
    const answer = (await api.invoke(cut)) as APIGatewayProxyStructuredResultV2;
    expect(answer.statusCode).toBe(404);
  });

  it("renders a text with the script beside it", async () => {
    const api = await deployed.start("Api");
    const asked = event({
      path: "/api/v1/markdown",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify({ Text: "# a" })),
    });
    const answer = (await api.invoke(asked)) as APIGatewayProxyStructuredResultV2;
    expect(answer).toMatchObject({ statusCode: 200, body: '<h1 id="user-content-a">a</h1>\n' });
  });

  it("loads each group of operations with a request for one of its paths", async () => {
    const api = await deployed.start("Api");
    for (const { paths } of endpointGroups) {
      const path = `/api/v1${(paths[0] ?? "").replace("/*", "").replace(/\{\w+\}/g, "7")}`;
      const asked = event({ path, method: "PATCH" });
      const { statusCode } = (await api.invoke(asked)) as APIGatewayProxyStructuredResultV2;
      expect([path, Number(statusCode) < 500]).toEqual([path, true]);
    }
  });

  it("403: a request that did not come through the router", async () => {
    const api = await deployed.start("Api");
    const forged = event({ path: "/api/v1/version", headers: { [edgeHeaders.originSecret]: "guess" } });
    expect(await api.invoke(forged)).toMatchObject({ statusCode: 403 });
  });
});

/** A batch as SQS hands it over; the messages' ids are their places. */
function batch(...bodies: string[]): SQSEvent {
  const record = (body: string, place: number): SQSRecord => ({
    messageId: String(place),
    receiptHandle: `receipt-${place}`,
    body,
    attributes: {
      ApproximateReceiveCount: "1",
      SentTimestamp: String(Date.now()),
      SenderId: "sender",
      ApproximateFirstReceiveTimestamp: String(Date.now()),
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-west-1:123456789012:queue",
    awsRegion: "eu-west-1",
  });
  return { Records: bodies.map(record) };
}

describe("WebhookWorker", () => {
  it("sends a signed delivery, its payload from the bucket, and names the one message of the batch that failed", async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const hook = await createHook(
      forge(),
      { kind: "repository", id: 1 },
      {
        type: "forgejo",
        url: receiver.url,
        contentType: "json",
        secret: "hook secret",
        isActive: true,
      },
    );
    const large = JSON.stringify({ ref: "refs/heads/main", filler: "x".repeat(200_000) });
    const message = await createDelivery(forge(), hook, {
      eventId: "event-1",
      eventType: "push",
      what: "push refs/heads/main",
      payload: await keepPayload(forge(), large),
      createdAt: Date.now(),
    });
    const worker = await deployed.start("WebhookWorker", {
      settings: { WEBHOOK_ALLOWED_HOST_LIST: "loopback" },
    });
    const answer = await worker.invoke(batch("not JSON", JSON.stringify(message)));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: "0" }] });
    const [request] = await receiver.received(1);
    const signature = createHmac("sha256", "hook secret")
      .update(request?.body ?? "")
      .digest("hex");
    expect(request?.headers["x-forgejo-signature"]).toBe(signature);
  });
});

describe("MirrorWorker and RepositoryEventWorker", () => {
  it("name the messages that they can't read, so that those end in the dead letters", async () => {
    for (const name of ["MirrorWorker", "RepositoryEventWorker"]) {
      const worker = await deployed.start(name);
      const answer = await worker.invoke(batch("not JSON", '{"kind":"unheard-of","eventId":"1"}'));
      const failures = [{ itemIdentifier: "0" }, { itemIdentifier: "1" }];
      expect(answer, name).toEqual({ batchItemFailures: failures });
    }
  });
});

/** An event that lies in the outbox since an hour, as after a crash. */
async function leaveInOutbox(queue: QueueName): Promise<QueueMessage> {
  const anHourAgo = { ...forge(), clock: { ...forge().clock, now: () => Date.now() - 3_600_000 } };
  const entry = outbox(anHourAgo, queue, { kind: "left-behind" });
  await forge().table.transact([entry.write]);
  return entry.message;
}

describe("TickWorker", () => {
  it("sends what a crash left in the outbox to each of the queues", async () => {
    const left = {
      webhooks: await leaveInOutbox("webhooks"),
      mirrors: await leaveInOutbox("mirrors"),
      "repository-events": await leaveInOutbox("repository-events"),
    };
    const tick = await deployed.start("TickWorker");
    await tick.invoke({});
    for (const [queue, message] of Object.entries(left)) {
      expect(await deployed.standIns.receive(queue as QueueName)).toContainEqual(message);
    }
  });
});
