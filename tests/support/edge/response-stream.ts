import { PassThrough } from "node:stream";

/** Status and headers that a streaming handler states before its first byte. */
export interface StreamMetadata {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

/** The stream that Lambda hands to a streaming handler. Its head goes out with the first write, be it empty. */
export class ResponseStream extends PassThrough {
  metadata: StreamMetadata = { headers: { "content-type": "application/octet-stream" } };
  /** Resolves with the first write; rejects when the stream ends or breaks before it. */
  readonly started: Promise<void>;
  #start: () => void = () => undefined;

  constructor() {
    super();
    this.started = new Promise((resolve, reject) => {
      this.#start = resolve;
      this.once("finish", () => reject(new Error("the handler ended without writing")));
      this.once("error", reject);
      this.once("close", () => reject(new Error("the stream was closed")));
    });
    this.started.catch(() => undefined);
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    this.#start();
    return super.write(chunk, ...(rest as []));
  }

  override end(...given: unknown[]): this {
    if (given[0] !== undefined && typeof given[0] !== "function") this.#start();
    return super.end(...(given as []));
  }

  setContentType(type: string): void {
    this.metadata = { ...this.metadata, headers: { ...this.metadata.headers, "content-type": type } };
  }
}

/**
 * Gives this process the global `awslambda` of Lambda's Node runtime. A module that calls `streamHandle` needs it when
 * it is loaded: import such a module dynamically, after this.
 */
export function installLambdaStreaming(): void {
  const awslambda = {
    streamifyResponse: <Handler>(handler: Handler): Handler => handler,
    HttpResponseStream: {
      from(stream: ResponseStream, metadata: StreamMetadata): ResponseStream {
        stream.metadata = metadata;
        return stream;
      },
    },
  };
  Object.assign(globalThis, { awslambda });
}
