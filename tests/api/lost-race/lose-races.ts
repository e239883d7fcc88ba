import { expect, vi } from "vitest";
import type { Endpoint } from "#functions/http/endpoint";
import { type ApiAnswer, basic, type Caller, type TestApi } from "#tests/support/api";
import { endpoints } from "#tests/support/endpoints";

/** A request of an operation that would change something. */
export interface LosingRequest {
  readonly id: string;
  /** What stands for the parameters of its path. */
  readonly place?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: object;
  readonly form?: FormData;
}

/** Sends it, by name and password. */
export async function sendTo(
  api: TestApi,
  as: Caller,
  { id, place = {}, query = "", body, form }: LosingRequest,
): Promise<ApiAnswer> {
  const { method, path } = endpoints.find((one) => one.id === id) as Endpoint;
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => String(place[name] ?? `no ${name}`));
  const encoded = new Response(form);
  const headers = {
    ...basic(as.name, as.password),
    ...(form === undefined ? {} : { "content-type": encoded.headers.get("content-type") ?? "" }),
  };
  return api.call(method.toUpperCase(), `${filled}${query}`, {
    headers,
    ...(body === undefined ? {} : { body }),
    ...(form === undefined ? {} : { raw: new Uint8Array(await encoded.arrayBuffer()) }),
  });
}

/** Fails as a transaction whose last item was changed meanwhile, or as a single write that was late. */
const late = (name: string) =>
  Object.assign(new Error(`simulated ${name}`), {
    name,
    CancellationReasons: [...Array(99).fill({ Code: "None" }), { Code: "ConditionalCheckFailed" }],
  });

/** Each loss takes longer than a change is tried for: nobody waits for the attempts that would be lost, too. */
const triedForMs = 16_000;

/**
 * Others are always faster while `work` runs: no write that asks for the state that was read is taken. `transactions`:
 * no transaction, but single writes, as the mark of who is about to be deleted.
 */
export async function whileLosing<T>(
  api: TestApi,
  work: () => Promise<T>,
  what: "every write" | "transactions" = "every write",
): Promise<T> {
  const times = Number.POSITIVE_INFINITY;
  const now = performance.now.bind(performance);
  let lateMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + lateMs);
  const isLost = (isConditional: boolean): boolean => {
    if (isConditional) lateMs += triedForMs;
    return isConditional;
  };
  api.faults.inject({
    ...{ service: "dynamodb", operation: "TransactWriteItems", times },
    ...{ fault: late("TransactionCanceledException"), fits: () => isLost(true) },
  });
  for (const operation of what === "every write" ? ["PutItem", "UpdateItem", "DeleteItem"] : []) {
    api.faults.inject({
      ...{ service: "dynamodb", operation, times, fault: late("ConditionalCheckFailedException") },
      fits: (input: { ConditionExpression?: string }) => isLost(input.ConditionExpression !== undefined),
    });
  }
  try {
    return await work();
  } finally {
    api.faults.recover();
    vi.restoreAllMocks();
  }
}

/** Expects that the request is refused with 409 when it loses. */
export async function expectLost(
  api: TestApi,
  as: Caller,
  request: LosingRequest,
  what?: "every write" | "transactions",
): Promise<void> {
  const { status, text } = await whileLosing(api, () => sendTo(api, as, request), what);
  expect(status, text).toBe(409);
}
