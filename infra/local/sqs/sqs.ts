import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "#core/log";
import { isDiskFull } from "../durable-file.ts";
import { listenOnLoopback } from "../loopback-server.ts";
import { queryName, SqsError } from "./error.ts";
import { MessageStore, type MessageStoreOptions, type QueueSettings } from "./message-store.ts";
import { operations, type SqsContext } from "./operations.ts";

/** The options of the SQS stand-in. `folder` is created; the queues are the only ones there are. */
export interface SqsOptions extends MessageStoreOptions {
  queues: readonly QueueSettings[];
}

/** A running SQS stand-in. */
export interface Sqs {
  endpoint: string;
  /** The URL of a queue (or dead-letter queue) by its name. Changes with each start. */
  queueUrl(name: string): string;
  /** The name of a queue in events and policies. */
  queueArn(name: string): string;
  /** Answers waiting receivers at once and lets other requests finish. May be called twice. */
  stop(): Promise<void>;
}

const account = "000000000000";
const maximumRequestBytes = 4 * 1024 * 1024;
const jsonType = "application/x-amz-json-1.0";

/**
 * Starts the SQS stand-in (AWS JSON protocol) over a journal, on a random loopback address. Acknowledged requests
 * survive a crash. An unknown operation or parameter is refused by name.
 */
export async function startSqs({ queues, ...options }: SqsOptions): Promise<Sqs> {
  const { log } = options;
  const store = await MessageStore.open(queues, options);
  const server = await listenOnLoopback((request, response) => {
    response.setHeader("x-amzn-requestid", randomUUID());
    answer(request, response).then(
      (output) => send(response, 200, output),
      (error: unknown) => fail(request, response, error, log),
    );
  });
  const queueUrl = (name: string) => `${server.endpoint}/${account}/${name}`;
  const queueArn = (name: string) => `arn:aws:sqs:us-east-1:${account}:${name}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<object> {
    const name = request.headers["x-amz-target"]?.toString().split(".")[1] ?? "";
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    const input = await readJson(request);
    if (operation === undefined) {
      throw new SqsError(
        "UnsupportedOperation",
        `The SQS stand-in does not implement ${name || "this request"}.`,
      );
    }
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const context: SqsContext = { store, queueUrl, queueArn, signal: gone.signal };
    return operation(input, context);
  }

  let stopped: Promise<void> | undefined;
  return {
    endpoint: server.endpoint,
    queueUrl,
    queueArn,
    stop() {
      stopped ??= Promise.all([store.stopWaiting(), server.stop()]).then(() => store.close());
      return stopped;
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maximumRequestBytes)
      throw new SqsError("RequestEntityTooLarge", "The request is too long.", 413);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SqsError("SerializationException", "The request's body is not JSON.");
  }
}

function send(response: ServerResponse, status: number, output: object): void {
  const text = JSON.stringify(output);
  const headers = { "content-type": jsonType, "content-length": Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}

function fail(request: IncomingMessage, response: ServerResponse, error: unknown, log: Log): void {
  if (response.destroyed) return; // the client went away
  const refusal = error instanceof SqsError ? error : internalError(error);
  if (refusal.status >= 500) {
    log.error("sqs:request-failed", { operation: request.headers["x-amz-target"], error });
  }
  const fault = refusal.status >= 500 ? "Receiver" : "Sender";
  response.setHeader("x-amzn-query-error", `${queryName(refusal.code)};${fault}`);
  send(response, refusal.status, { __type: `com.amazonaws.sqs#${refusal.code}`, message: refusal.message });
}

// The SDK doesn't try 507 again: a full disk does not empty itself within a second.
const internalError = (error: unknown) =>
  isDiskFull(error)
    ? new SqsError("InternalFailure", "The disk is full; nothing was stored.", 507)
    : new SqsError("InternalFailure", "We encountered an internal error.", 500);
