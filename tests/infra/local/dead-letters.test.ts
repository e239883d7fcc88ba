import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deadLettersOf, listDeadLetters, redriveDeadLetters } from "#infra/local/admin/dead-letters";
import { type StandIns, startStandIns } from "#tests/support/stand-ins/stand-ins";

let standIns: StandIns;
let client: SQSClient;
beforeEach(async () => {
  standIns = await startStandIns();
  const { sqsEndpoint: endpoint, region, credentials } = standIns;
  client = new SQSClient({ endpoint, region, credentials, maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await standIns.stop();
});

const queueUrl = () => standIns.queueUrls.webhooks;
const deadUrl = () => standIns.queueUrls["webhooks-dead-letters"];
const send = (QueueUrl: string, MessageBody: string) =>
  client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
async function received(QueueUrl: string): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 60 }),
    );
    if (Messages.length === 0) return bodies.sort();
    bodies.push(...Messages.map(({ Body = "" }) => Body));
  }
}

describe("dead letters", () => {
  it("are found through the queue's redrive policy; a queue without one is named", async () => {
    expect(await deadLettersOf(client, queueUrl())).toBe(deadUrl());
    await expect(deadLettersOf(client, deadUrl())).rejects.toThrow("has no dead letters");
  });

  it("are listed, however often, and stay where they are", async () => {
    await Promise.all(Array.from({ length: 12 }, (_, at) => send(deadUrl(), `letter ${at}`)));
    for (let round = 0; round < 3; round += 1) {
      expect(await listDeadLetters(client, queueUrl(), 100)).toHaveLength(12);
    }
    expect(await listDeadLetters(client, queueUrl(), 5)).toHaveLength(5);
    expect(await received(deadUrl())).toHaveLength(12);
  });

  it("go back to their queue, each once, without the deferrals over which they died", async () => {
    await send(deadUrl(), JSON.stringify({ kind: "push", eventId: "e", deferrals: 10 }));
    await send(deadUrl(), "not JSON");
    expect(await redriveDeadLetters(client, queueUrl())).toBe(2);
    expect(await received(queueUrl())).toEqual(["not JSON", JSON.stringify({ kind: "push", eventId: "e" })]);
    expect(await redriveDeadLetters(client, queueUrl())).toBe(0);
  });
});
