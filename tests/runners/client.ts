import { gunzipSync, gzipSync } from "node:zlib";
import type { Hono } from "hono";
import { type MethodName, methods } from "./protocol.ts";
import { decodeMessage, encodeMessage, type Values } from "./wire.ts";

/** The two encodings of the protocol. */
export const encodings = ["application/json", "application/proto"] as const;
export type Encoding = (typeof encodings)[number];

/** What a call came to: the message's members, or the refusal's code. */
export interface ConnectAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly code: string | undefined;
  /** Numbers of 64 bits are texts in JSON, as the mapping has them. */
  readonly message: ReturnType<typeof JSON.parse>;
}

/** A runner's credentials. */
export interface Identity {
  readonly uuid: string;
  readonly token: string;
}

export interface CallOptions {
  readonly encoding?: Encoding;
  readonly as?: Identity | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isCompressed?: boolean;
  readonly address?: string;
}

/** Calls a method as a runner would: by the app, without a socket. */
export async function callRunner(
  app: Hono,
  method: MethodName,
  values: Values,
  { encoding = "application/json", as, headers = {}, isCompressed = false, address }: CallOptions = {},
): Promise<ConnectAnswer> {
  const { takes, answers } = methods[method];
  const plain =
    encoding === "application/json" ? Buffer.from(JSON.stringify(values)) : encodeMessage(takes, values);
  const response = await app.request(
    `/api/actions/${method}`,
    {
      method: "POST",
      headers: {
        "content-type": encoding,
        "connect-protocol-version": "1",
        ...(as === undefined ? {} : { "x-runner-uuid": as.uuid, "x-runner-token": as.token }),
        ...(isCompressed ? { "content-encoding": "gzip" } : {}),
        ...headers,
      },
      body: new Uint8Array(isCompressed ? gzipSync(plain) : plain),
    },
    { clientAddress: address ?? "192.0.2.1" },
  );
  const sent = Buffer.from(await response.arrayBuffer());
  const bytes = response.headers.get("content-encoding") === "gzip" ? gunzipSync(sent) : sent;
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const isRefusal = response.status !== 200;
  const message =
    bytes.length === 0 && !isJson && isRefusal
      ? undefined
      : isJson
        ? JSON.parse(bytes.toString("utf8"))
        : decodeMessage(answers, bytes);
  return {
    status: response.status,
    headers: response.headers,
    code: isRefusal ? message?.code : undefined,
    message,
  };
}
