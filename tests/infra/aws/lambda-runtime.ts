import { buffer } from "node:stream/consumers";
import { lambdaContext } from "#tests/support/edge/proxy-event";
import {
  installLambdaStreaming,
  ResponseStream,
  type StreamMetadata,
} from "#tests/support/edge/response-stream";

/** What a streaming handler answered. */
export interface StreamedResult {
  readonly metadata: StreamMetadata;
  /** In base64. */
  readonly body: string;
}

/** A call, and what comes back under the same id. Id 0 says that the handler is loaded. */
export interface Invocation {
  readonly id: number;
  readonly event: unknown;
  readonly isStreaming: boolean;
}
export interface InvocationEnd {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

type Handler = (...args: unknown[]) => unknown;

async function streamed(handler: Handler, event: unknown): Promise<StreamedResult> {
  const stream = new ResponseStream();
  const [body] = await Promise.all([buffer(stream), handler(event, stream, lambdaContext("test", 60_000))]);
  return { metadata: stream.metadata, body: body.toString("base64") };
}

/** The child's side of handler-process.ts: loads the handler as Lambda does and calls it once per message. */
export async function serveInvocations([path = "", name = ""]: readonly string[]): Promise<void> {
  installLambdaStreaming();
  const module = (await import(path)) as Record<string, Handler | undefined>;
  const handler = module[name];
  if (handler === undefined) throw new Error(`${path} exports no ${name}`);
  process.on("message", async ({ id, event, isStreaming }: Invocation) => {
    try {
      if (!isStreaming && handler.length > 2) throw new Error("Lambda knows no callbacks since Node 24");
      const result = isStreaming
        ? await streamed(handler, event)
        : await handler(event, lambdaContext("test", 60_000));
      process.send?.({ id, result });
    } catch (error) {
      process.send?.({ id, error: String(error) });
    }
  });
  process.send?.({ id: 0 });
}
