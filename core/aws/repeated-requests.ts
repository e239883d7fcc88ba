import { giveWay } from "../concurrency/give-way.ts";
import { lazyFor } from "../lazy.ts";

/** An SDK client, as far as it matters here. */
interface Client {
  readonly config: {
    signer(
      scheme?: never,
    ): Promise<{ sign(request: never, options: { signingDate: Date }): Promise<unknown> }>;
    readonly systemClockOffset: number;
    readonly requestHandler: { handle(request: unknown): Promise<{ response: Response }> };
    streamCollector(body: unknown): Promise<Uint8Array>;
    utf8Encoder(bytes: Uint8Array): string;
  };
  readonly middlewareStack: {
    add(middleware: never, options: never): void;
    addRelativeTo(middleware: never, options: never): void;
  };
}

/** An answer, its body unread. */
interface Response {
  readonly statusCode: number;
  readonly body: unknown;
}

/** An answer: the text of a success, or a refusal. */
export type Answer = { readonly text: string } | { readonly refusal: Response };

/** Requests like those that a client has sent before. */
export interface RepeatedRequests {
  /**
   * Sends a body as the client sent its last request of this command: to the same place, under the same headers, signed
   * anew. Undefined when there is none to go by. Throws what the connection throws.
   */
  send(command: string, body: string): Promise<Answer> | undefined;
  /** The client's next request with this very input is not sent: it gets `refusal` as its answer, for the SDK to read. */
  refuse(input: object, refusal: Response): void;
}

type Headers = Readonly<Record<string, string>>;

/** A request as the SDK made it, without its own particulars. */
interface MadeRequest {
  readonly lasting: { readonly headers: Headers };
  readonly isTraced: boolean;
  readonly signer: Awaited<ReturnType<Client["config"]["signer"]>>;
}

/** The arguments that a middleware gets and passes on. */
interface Arguments {
  readonly input: object;
  readonly request: { readonly headers: Headers; readonly body?: unknown };
}
interface Context {
  readonly commandName?: string;
  readonly authSchemes?: readonly never[];
}
type Next = (args: Arguments) => Promise<object>;

const retryHeaders = ["amz-sdk-invocation-id", "amz-sdk-request"];
/** Lambda detects loops of messages by it. Its value belongs to the invocation, and the runtime knows it. */
const traceHeader = "x-amzn-trace-id";
/** Only the SDK knows their values for the present invocation. */
const contextHeaders = ["traceparent", "tracestate", "baggage"];

/**
 * Keeps the last request of each command as the SDK made it, so that the next one needs only a body and a signature.
 * Endpoint, headers, credentials, signature and clock stay the SDK's, and the SDK reads refusals. Call it before the
 * client's first request; calling it again gives the same object.
 */
export const repeatedRequests: (client: Client) => RepeatedRequests = lazyFor((client: Client) => {
  const { config, middlewareStack } = client;
  const made = new Map<string, MadeRequest>();
  const refusals = new WeakMap<object, Response>();
  const keepRequest =
    (next: Next, { commandName = "", authSchemes }: Context) =>
    async (args: Arguments) => {
      const signer = await config.signer(authSchemes?.[0]);
      const parts = partsOf(args.request);
      if (parts === undefined) made.delete(commandName);
      else made.set(commandName, { ...parts, signer });
      return next(args);
    };
  const answerRefused = (next: Next) => async (args: Arguments) => {
    const response = refusals.get(args.input);
    refusals.delete(args.input);
    return response === undefined ? next(args) : { response };
  };
  const before = { relation: "before", toMiddleware: "httpSigningMiddleware" };
  middlewareStack.addRelativeTo(keepRequest as never, { name: "keepRequest", ...before } as never);
  const last = { step: "deserialize", priority: "low" };
  middlewareStack.add(answerRefused as never, { name: "answerRefused", ...last } as never);
  return {
    send(command, body) {
      const like = made.get(command);
      const traceId = process.env._X_AMZN_TRACE_ID;
      if (like === undefined || (like.isTraced && !traceId)) return undefined;
      return sendLike(config, like, body, like.isTraced ? { [traceHeader]: traceId } : {});
    },
    refuse: (input, refusal) => void refusals.set(input, refusal),
  };
});

/** The parts of a request that serve the next one, too; undefined when a header can't be repeated. */
function partsOf({ body: _, headers, ...request }: Arguments["request"]) {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (contextHeaders.some((name) => names.includes(name))) return undefined;
  const passing = [...retryHeaders, traceHeader];
  const lasting = Object.entries(headers).filter(([name]) => !passing.includes(name.toLowerCase()));
  return {
    lasting: { ...request, headers: Object.fromEntries(lasting) },
    isTraced: names.includes(traceHeader),
  };
}

/** Answers of more bytes are decoded one in each turn of the loop. */
const largeBytes = 256 * 1024;

async function sendLike(
  config: Client["config"],
  { lasting, signer }: MadeRequest,
  text: string,
  trace: Readonly<Record<string, string | undefined>>,
): Promise<Answer> {
  const body = Buffer.from(text);
  const headers = { ...lasting.headers, ...trace, "content-length": String(body.byteLength) };
  const signingDate = new Date(Date.now() + config.systemClockOffset);
  const request = await signer.sign({ ...lasting, headers, body } as never, { signingDate });
  const { response } = await config.requestHandler.handle(request);
  if (response.statusCode !== 200) return { refusal: response };
  const bytes = await config.streamCollector(response.body);
  if (bytes.byteLength > largeBytes) await giveWay();
  return { text: config.utf8Encoder(bytes) };
}
