import { Agent, type Dispatcher, errors } from "undici";
import { defined } from "#core/defined";

/** A request as an SDK's client makes it. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer as the SDK's client reads it. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** As many at a time as the SDK's own way has; others wait. */
const connections = 50;

/** The stand-ins look at the form of a signature, not at what it says. */
const signature = {
  "x-amz-date": "20200101T000000Z",
  authorization: `AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/any/aws4_request, SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}`,
};

/**
 * Options for a client of a stand-in that answers small JSON and checks no signatures, as those for DynamoDB and SQS
 * do. They replace Node's HTTP client by undici, and the signing: these were four fifths of the CPU that a client takes
 * for a request. Everything else stays the SDK's.
 */
export function shortWayTo(origin: string) {
  const agent = new Agent({ connections });
  const requestHandler = {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(
      { method, path, headers: { host: _, ...headers }, body }: Request,
      { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
    ) {
      const request = { origin, path, method, headers, ...defined({ body }) };
      return { response: await answerOf(agent, request, abortSignal) };
    },
    destroy: () => void agent.destroy(),
  };
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

/** An answer with all of its body: the SDK's stream of it would cost more than the rest of the request. */
function answerOf(agent: Agent, request: Dispatcher.DispatchOptions, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let [statusCode, headers]: [number, Answer["headers"]] = [0, {}];
    let giveUp = (): void => undefined;
    agent.dispatch(request, {
      onRequestStart(controller) {
        giveUp = () => controller.abort(signal?.reason as Error);
        if (signal?.aborted) giveUp();
        else signal?.addEventListener("abort", giveUp);
      },
      onResponseStart(_controller, status, given) {
        [statusCode, headers] = [status, given];
      },
      onResponseData: (_controller, piece) => void pieces.push(piece),
      onResponseEnd() {
        signal?.removeEventListener("abort", giveUp);
        resolve({ statusCode, headers, body: Buffer.concat(pieces) });
      },
      onResponseError(_controller, error) {
        signal?.removeEventListener("abort", giveUp);
        // The SDK tries again after what Node calls a lost connection; undici has a word of its own for it.
        if (error instanceof errors.SocketError) Object.assign(error, { code: "ECONNRESET" });
        reject(error);
      },
    });
  });
}
