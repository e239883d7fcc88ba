import type { Readable } from "node:stream";
import { type DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { getEndpointFromInstructions } from "@smithy/core/endpoints";
import { lazy } from "../lazy.ts";
import { answerFrom, requestText, type WireAnswer } from "./messages.ts";
import { createSigner } from "./signature.ts";

/** An operation of DynamoDB, as its API names it. */
export type Operation =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "Scan"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "BatchWriteItem"
  | "TransactWriteItems";

/** The way to DynamoDB. */
export interface Wire {
  /** Sends one request, once: members as the API names them, items and keys as plain values. Throws DynamodbError. */
  send(operation: Operation, members: object): Promise<WireAnswer>;
}

/** A refusal, named as the API does (`ConditionalCheckFailedException`). */
class DynamodbError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };
  /** Of a cancelled transaction, one for each write. */
  readonly CancellationReasons: Refusal["CancellationReasons"];
  constructor(httpStatusCode: number, { __type, message, Message, CancellationReasons }: Refusal) {
    super(message ?? Message ?? `DynamoDB answered ${httpStatusCode}`);
    this.name = __type?.replace(/^.*#/, "") ?? "DynamodbError";
    this.$metadata = { httpStatusCode };
    this.CancellationReasons = CancellationReasons;
  }
}

interface Refusal {
  readonly __type?: string;
  readonly message?: string;
  readonly Message?: string;
  readonly CancellationReasons?: readonly { readonly Code?: string }[] | undefined;
}

/**
 * Opens the way through a client's own connections, with its credentials, to where it would send requests to the table.
 * The rest of what the SDK does for each request is left out: it takes four times the CPU.
 */
export function openWire({ config }: DynamoDBClient, tableName: string): Wire {
  const findPlace = lazy(() => placeOf(config, tableName));
  const sign = createSigner();
  return {
    async send(operation, members) {
      const { url, path, ...scope } = await findPlace();
      const credentials = await config.credentials();
      const body = requestText(members);
      const target = { host: url.host, "x-amz-target": `DynamoDB_20120810.${operation}` };
      const asked = { path, headers: { "content-type": "application/x-amz-json-1.0", ...target }, body };
      const headers = sign(asked, { credentials, ...scope }, new Date());
      headers["content-length"] = String(Buffer.byteLength(body));
      const port = url.port === "" ? {} : { port: Number(url.port) };
      const { protocol, hostname } = url;
      const request = { method: "POST", protocol, hostname, ...port, path, query: {}, headers, body };
      const { response } = await config.requestHandler.handle(request);
      const text = Buffer.concat(await (response.body as Readable).toArray()).toString();
      if (response.statusCode === 200) return answerFrom(text);
      throw new DynamodbError(response.statusCode, refusalIn(text));
    },
  };
}

/** Where the client would send requests to the table, by its settings and its environment. */
async function placeOf(config: DynamoDBClient["config"], TableName: string) {
  const settings = { ...config };
  const { url, properties } = await getEndpointFromInstructions({ TableName }, GetItemCommand, settings);
  const [scheme] = (properties?.authSchemes ?? []) as AuthScheme[];
  return {
    url,
    path: url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`,
    region: scheme?.signingRegion ?? (await config.region()),
    service: scheme?.signingName ?? "dynamodb",
  };
}

interface AuthScheme {
  readonly signingName?: string;
  readonly signingRegion?: string;
}

/** What stands between here and DynamoDB may refuse in words of its own. */
function refusalIn(text: string): Refusal {
  try {
    return JSON.parse(text) as Refusal;
  } catch {
    return {};
  }
}
