import { connect, type Socket } from "node:net";
import { boundRequests } from "#core/aws/internal/bounded-client";

/** A request as an SDK's client makes it. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer as an SDK's client reads it. */
interface Response {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** As many as the SDK's own way has. */
const atATime = 50;

/** The stand-ins look at the form of a signature, not at what it says. */
const signature = {
  "x-amz-date": "20200101T000000Z",
  authorization: `AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/any/aws4_request, SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}`,
};

/**
 * Options for a client of a stand-in that answers small JSON and checks no signatures, as those for DynamoDB and SQS
 * do. They replace Node's HTTP client and the signing, which were four fifths of the CPU that a client takes for a
 * request. Everything else stays the SDK's. What answers otherwise needs the SDK's own way.
 */
export function shortWayTo(endpoint: string) {
  const { hostname, port, host } = new URL(endpoint);
  const open = new Set<Connection>();
  const free: Connection[] = [];
  const newConnection = (): Connection => {
    const one = new Connection(connect(Number(port), hostname), () => open.delete(one));
    open.add(one);
    return one;
  };
  const freeConnection = (): Connection => {
    const one = free.pop() ?? newConnection();
    return one.isOpen ? one : freeConnection();
  };
  const requestHandler = {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(
      { method, path, headers, body = "" }: Request,
      { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
    ): Promise<{ response: Response }> {
      const one = freeConnection();
      const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${value}\r\n`);
      const abort = () => one.end(Object.assign(new Error("Request aborted"), { name: "AbortError" }));
      abortSignal?.addEventListener("abort", abort);
      try {
        if (abortSignal?.aborted) abort();
        const response = await one.ask(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, body);
        free.push(one);
        return { response };
      } finally {
        abortSignal?.removeEventListener("abort", abort);
      }
    },
    destroy: () => {
      for (const one of open) one.end();
    },
  };
  boundRequests({ config: { requestHandler } }, atATime);
  return {
    requestHandler,
    signer: {
      sign: async <R extends Request>(request: R) => ({
        ...request,
        headers: { ...request.headers, ...signature },
      }),
    },
    streamCollector: async (body: Uint8Array) => body,
  };
}

/** One request after another on a connection. */
class Connection {
  readonly #socket: Socket;
  #came: Buffer = Buffer.alloc(0);
  #asking: { resolve(response: Response): void; reject(error: Error): void } | undefined;
  #reason: Error | undefined;
  isOpen = true;

  constructor(socket: Socket, onClose: () => void) {
    this.#socket = socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => this.end(error));
    socket.on("close", () => {
      onClose();
      this.end();
    });
  }

  ask(head: string, body: string | Uint8Array): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#asking = { resolve, reject };
      if (!this.isOpen) return this.end();
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      this.#socket.write(Buffer.concat([Buffer.from(head), bytes]));
    });
  }

  /** Ends the connection, and the request on it for this reason. */
  end(reason: Error = Object.assign(new Error("the connection ended"), { code: "ECONNRESET" })): void {
    this.isOpen = false;
    this.#reason ??= reason;
    this.#asking?.reject(this.#reason);
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#came = this.#came.length === 0 ? bytes : Buffer.concat([this.#came, bytes]);
    const headEnd = this.#came.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const [status = "", ...lines] = this.#came.toString("latin1", 0, headEnd).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const start = headEnd + 4;
    const end = start + Number(headers["content-length"]);
    if (Number.isNaN(end)) this.end(new Error(`an answer of unknown length: ${status}`));
    if (!(this.#came.length >= end)) return;
    const body = this.#came.subarray(start, end);
    this.#came = this.#came.subarray(end);
    const asking = this.#asking;
    this.#asking = undefined;
    asking?.resolve({ statusCode: Number(status.split(" ")[1]), headers, body });
  }
}
