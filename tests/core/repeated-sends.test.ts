import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { SQSClient, type SQSClientConfig } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { clientOptions } from "#core/client-options";
import { readConfig } from "#core/config";
import { createQueues } from "#core/queues";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
type Fault = { readonly statusCode: number } | Error;

const urls = { webhooks: "https://sqs.example/1/webhooks", mirrors: "https://sqs.example/1/mirrors" };

/** Queues whose requests come to nothing but success, or to these faults by the place of the request. */
function queuesOf(faults: Readonly<Record<number, Fault>> = {}) {
  const sent: (Sent & { readonly text: string })[] = [];
  const handle = async (request: Sent) => {
    const text = new TextDecoder().decode(request.body);
    const fault = faults[sent.push({ ...request, text }) - 1];
    if (fault instanceof Error) throw fault;
    const answer = fault === undefined ? successOf(text) : "{}";
    const { statusCode } = fault ?? { statusCode: 200 };
    return { response: { statusCode, headers: {}, body: Readable.from([Buffer.from(answer)]) } };
  };
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };
  const options = { ...clientOptions, region: "eu-central-1", credentials, endpoint: "https://sqs.example" };
  const made = { ...options, maxAttempts: 2, requestHandler: { handle } };
  const client = new SQSClient(made as unknown as SQSClientConfig);
  const config = readConfig({ WEBHOOKS_QUEUE_URL: urls.webhooks, MIRRORS_QUEUE_URL: urls.mirrors });
  return { queues: createQueues({ config, client: async () => client }), sent };
}

function successOf(text: string): string {
  const { Entries } = JSON.parse(text) as { Entries: { Id: string; MessageBody: string }[] };
  const Successful = Entries.map(({ Id, MessageBody }) => ({
    Id,
    MessageId: `message-${Id}`,
    MD5OfMessageBody: createHash("md5").update(MessageBody).digest("hex"),
  }));
  return JSON.stringify({ Successful, Failed: [] });
}

const message = { kind: "sync", text: "é" };
const failing = (name: string, code?: string) => Object.assign(new Error(name), { name, code });

describe("a batch like one before", () => {
  it("is sent as the SDK sends it, its signature included", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 1, 3, 4, 5, 6) });
    const { queues, sent } = queuesOf();
    for (let count = 0; count < 2; count += 1) await queues.send("mirrors", [message]);
    const [first, second] = sent.map(({ text, headers }) => {
      const {
        "amz-sdk-invocation-id": _id,
        "amz-sdk-request": _try,
        authorization = "",
        ...others
      } = headers;
      return { text, others, credential: authorization.split(", ")[0] };
    });
    expect(second).toEqual(first);
    expect(sent.map(({ headers }) => "amz-sdk-invocation-id" in headers)).toEqual([true, false]);
    expect(second?.credential).toContain("Credential=AKIDEXAMPLE/20260203/eu-central-1/sqs/");
    expect(JSON.parse(second?.text ?? "")).toEqual({
      QueueUrl: urls.mirrors,
      Entries: [{ Id: "0", MessageBody: JSON.stringify(message), DelaySeconds: 0 }],
    });
  });

  it("goes to its own queue", async () => {
    const { queues, sent } = queuesOf();
    for (const queue of ["mirrors", "webhooks", "mirrors"] as const) await queues.send(queue, [message]);
    const to = sent.map(({ text }) => JSON.parse(text).QueueUrl);
    expect(to).toEqual([urls.mirrors, urls.webhooks, urls.mirrors]);
  });

  it("carries the trace of its own invocation, by which Lambda sees a loop", async () => {
    vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "worker");
    const { queues, sent } = queuesOf();
    for (const root of ["one", "two", "three"]) {
      vi.stubEnv("_X_AMZN_TRACE_ID", root);
      await queues.send("mirrors", [message]);
    }
    const traces = sent.map(({ headers }) => headers["x-amzn-trace-id"] ?? headers["X-Amzn-Trace-Id"]);
    expect(traces).toEqual(["one", "two", "three"]);
  });

  it.each([
    ["that is refused", { statusCode: 503 }],
    ["whose connection is gone", failing("Error", "ECONNRESET")],
  ])("%s is sent once more", async (_which, fault) => {
    const { queues, sent } = queuesOf({ 1: fault });
    await queues.send("mirrors", [message]);
    await queues.send("mirrors", [message]);
    expect(sent).toHaveLength(3);
    expect(sent[2]?.text).toBe(sent[1]?.text);
  });

  it("that takes too long is not: somebody waits, and the tick sends what is left", async () => {
    const { queues, sent } = queuesOf({ 1: failing("TimeoutError") });
    await queues.send("mirrors", [message]);
    await expect(queues.send("mirrors", [message])).rejects.toThrow("TimeoutError");
    expect(sent).toHaveLength(2);
  });
});
