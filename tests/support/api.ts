import type { Hono } from "hono";
import type { Forge } from "#core/forge";
import { createToken } from "#core/token/token";
import { createUser } from "#core/user/create";
import type { User } from "#core/user/user.table";
import { createApi } from "#functions/api/app";
import { checkContract } from "./contract/contract.ts";
import { makeForge } from "./forge.ts";

/** A user of a test, with a token that may do everything. */
export interface Caller {
  readonly user: User;
  readonly name: string;
  readonly password: string;
  readonly token: string;
}

/** An answer, its JSON parsed; `json` is undefined when there is no body. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonValue;
}

/** Parsed JSON as tests walk it: freely, since the contract check holds its shape against the declared schema. */
export type JsonValue = ReturnType<typeof JSON.parse>;

export interface ApiRequestOptions {
  /** Sends this caller's token. */
  readonly as?: Caller | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the request comes from, as the edge would say. */
  readonly address?: string;
}

/** The API over a fresh forge on the stand-ins, every answer checked against its declared schema. */
export interface TestApi {
  readonly forge: Forge;
  readonly clock: Awaited<ReturnType<typeof makeForge>>["clock"];
  readonly faults: Awaited<ReturnType<typeof makeForge>>["faults"];
  readonly queues: Awaited<ReturnType<typeof makeForge>>["queues"];
  readonly logged: Awaited<ReturnType<typeof makeForge>>["logged"];
  readonly app: Hono;
  /** Lets the lagging index catch up. */
  settle(): void;
  /** `path` is relative to `/api/v1`. */
  call(method: string, path: string, options?: ApiRequestOptions): Promise<ApiAnswer>;
  makeUser(options?: Partial<Parameters<typeof createUser>[1]>): Promise<Caller>;
  makeToken(caller: Caller, scopes: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

const password = "correct-horse-9";

/** The header of Basic authentication. */
export const basic = (name: string, secret: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`,
});

/** Starts the API on stand-ins of its own. Stop it when the test file ends. */
export async function makeApi(options?: Parameters<typeof makeForge>[0]): Promise<TestApi> {
  const { forge, clock, faults, queues, logged, settle, stop } = await makeForge(options);
  const app = createApi({ forge, showsCost: true, observe: checkContract });
  app.onError((error) => {
    throw error; // a broken contract fails the test, not the request
  });
  let made = 0;
  const makeToken = async (caller: Caller, scopes: readonly string[]) => {
    made += 1;
    return (await createToken(forge, caller.user, { name: `token-${made}`, scopes })).text;
  };
  return {
    forge,
    clock,
    faults,
    queues,
    logged,
    app,
    settle,
    stop,
    makeToken,
    call: (method, path, request = {}) => call(app, method, path, request),
    async makeUser(given = {}) {
      made += 1;
      const name = given.name ?? `user-${made}`;
      const user = await createUser(forge, { name, email: `${name}@example.com`, password, ...given });
      const { text: token } = await createToken(forge, user, { name: "tests", scopes: ["all"] });
      return { user, name, password, token };
    },
  };
}

async function call(app: Hono, method: string, path: string, options: ApiRequestOptions): Promise<ApiAnswer> {
  const headers = new Headers(options.headers);
  if (options.as !== undefined) headers.set("authorization", `token ${options.as.token}`);
  if (options.body !== undefined) headers.set("content-type", "application/json");
  const body = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
  const init = { method, headers, body: body as NonNullable<RequestInit["body"]> | null };
  const response = await app.request(`/api/v1${path}`, init, {
    clientAddress: options.address ?? "192.0.2.1",
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}
