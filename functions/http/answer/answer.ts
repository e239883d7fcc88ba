import { createHash } from "node:crypto";
import { mostListBytes, rowFactor } from "#core/capacity/list-memory";
import { giveWay } from "#core/concurrency/give-way";
import { manySteps, Pacer } from "#core/concurrency/pacer";
import type { Forge } from "#core/forge";
import type { Endpoint } from "../endpoint.ts";
import { type FileAnswer, fileAnswer } from "./file-answer.ts";
import { cutAt, type Listing, type Page, pagingHeaders, type RowByRow } from "./paging.ts";
import { Reply } from "./reply.ts";

/** The context of an answer beside its value. */
export interface AnswerContext {
  readonly request: Request;
  readonly forge: Pick<Forge, "awaited" | "config" | "reserveInAll">;
  readonly page: Page;
  /** As the caller sees it. */
  readonly url: URL;
}

/** Turns a handler's answer into a response: status, JSON, text or a file, paging headers, ETag. */
export async function answerOf(
  endpoint: Endpoint,
  result: unknown,
  context: AnswerContext,
): Promise<Response> {
  if (result instanceof Response) return result;
  const reply = result instanceof Reply ? result : new Reply(result);
  const { returns } = endpoint;
  const status = reply.status ?? endpoint.status;
  const headers = new Headers(reply.headers);
  if (endpoint.isSecret === true) headers.set("cache-control", "no-store");
  if (returns === undefined || reply.value === undefined) return new Response(null, { status, headers });
  if ("html" in returns) return textAnswer(String(reply.value), "text/html;charset=utf-8", status, headers);
  if ("text" in returns) return textAnswer(reply.value as string | Buffer, plainText, status, headers);
  if ("file" in returns)
    return fileAnswer(context.request, reply.value as FileAnswer, context.request.signal);
  if ("json" in returns || ("oneOrList" in returns && !isListing(reply.value))) {
    if (endpoint.method === "get" && Array.isArray(reply.value)) countRows(reply.value, headers);
    return pacedAnswer(JSON.stringify(reply.value), status, headers);
  }
  const { text, listing } = await rowsOf(reply.value as Listing<unknown> | RowByRow<unknown>, context);
  const exposed = headers.get("access-control-expose-headers");
  for (const [name, value] of pagingHeaders(listing, context.page, context.url)) headers.set(name, value);
  if (exposed !== null) headers.append("access-control-expose-headers", exposed);
  if ("search" in returns) return pacedAnswer(`{"ok":true,"data":${text}}`, status, headers);
  const { under, total = undefined } = "list" in returns ? returns : {};
  const all = total === undefined ? "" : `,"${total}":${listing.total}`;
  return pacedAnswer(under === undefined ? text : `{"${under}":${text}${all}}`, status, headers);
}

async function pacedAnswer(text: string, status: number, headers: Headers): Promise<Response> {
  if (text.length > largeText) await giveWay();
  return jsonAnswer(text, status, headers);
}

/** Lists without pages send the number of their rows in `X-Total-Count`, too (D-PAGING). */
function countRows(rows: readonly unknown[], headers: Headers): void {
  headers.set("x-total-count", String(rows.length));
  headers.append("access-control-expose-headers", "X-Total-Count");
}

/** In the family's spelling, which its clients compare. */
const plainText = "text/plain; charset=utf-8";
/** A list counts from so many bytes on. */
const smallListBytes = 128 * 1024;

/**
 * Counts what a list takes while its rows are made: one that was not reserved as long as it gets counts as the longest.
 */
class RowBytes {
  readonly #reserveInAll: Forge["reserveInAll"];
  sum = 0;

  constructor({ reserveInAll }: Pick<Forge, "reserveInAll">) {
    this.#reserveInAll = reserveInAll;
  }

  /** Adds a row; false when a list can't have it beside the others. */
  async add(rowBytes: number): Promise<boolean> {
    this.sum += rowBytes;
    const largest = rowFactor * Math.max(mostListBytes, this.sum);
    if (this.sum > smallListBytes) await this.#reserveInAll(rowFactor * this.sum, largest);
    return this.sum <= mostListBytes;
  }
}

/** The rows as JSON, up to 4 MB of them: a cut listing says how to go on (D-BIGBODY). */
async function rowsOf(listing: Listing<unknown> | RowByRow<unknown>, context: AnswerContext) {
  const { forge, page } = context;
  const rows: string[] = [];
  const pacer = new Pacer(forge.awaited);
  const bytes = new RowBytes(forge);
  for await (const item of listing.items) {
    const row = JSON.stringify(item);
    const hasRoom = await bytes.add(Buffer.byteLength(row));
    if (!hasRoom && rows.length > 0) {
      const cut = cutAt((page.page - 1) * page.limit, rows.length, forge.config.maxResponseItems);
      const kept = rows.slice(0, cut.rows);
      return { text: `[${kept.join(",")}]`, listing: { ...listing, items: kept, next: cut.next } };
    }
    rows.push(row);
    if (pacer.isDue(manySteps)) await pacer.pause();
  }
  return { text: `[${rows.join(",")}]`, listing: { ...listing, items: rows } };
}

/**
 * As many of some rows as an answer without pages may have (D-BIGBODY); at least one. `shown`: what the answer has of a
 * row.
 */
export async function upToMostBytes<Row>(
  forge: Pick<Forge, "reserveInAll">,
  rows: AsyncIterable<Row> | Iterable<Row>,
  shown: (row: Row) => unknown,
): Promise<Row[]> {
  const kept: Row[] = [];
  const bytes = new RowBytes(forge);
  for await (const row of rows) {
    const hasRoom = await bytes.add(Buffer.byteLength(JSON.stringify(shown(row))));
    if (!hasRoom && kept.length > 0) break;
    kept.push(row);
  }
  return kept;
}

/** Longer texts are encoded once, for all that is done with them, and others run before that. */
const largeText = 256 * 1024;

/** A JSON text, or its bytes, with the ETag that follows from it. */
export const jsonAnswer = (text: string | Buffer<ArrayBuffer>, status: number, headers: Headers): Response =>
  taggedAnswer(text, "application/json;charset=utf-8", status, headers);

/** A text of a media type, or its bytes, with the ETag that follows from it. */
export function taggedAnswer(
  text: string | Buffer<ArrayBuffer>,
  type: string,
  status: number,
  headers: Headers,
): Response {
  const body = typeof text === "string" && text.length > largeText ? Buffer.from(text) : text;
  headers.set("content-type", type);
  headers.set("etag", `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`);
  headers.set("content-length", String(Buffer.byteLength(body)));
  return new Response(body, { status, headers });
}

const isListing = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "items" in value && "total" in value;

/** A plain text, for an operation whose answers are of several forms. */
export const plainTextAnswer = (text: string | Buffer): Response =>
  textAnswer(text, plainText, 200, new Headers());

function textAnswer(text: string | Buffer, type: string, status: number, headers: Headers): Response {
  headers.set("content-type", type);
  headers.set("content-length", String(Buffer.byteLength(text)));
  return new Response(typeof text === "string" ? text : new Uint8Array(text), { status, headers });
}

/** 304 for a read whose `If-None-Match` names the answer's ETag. */
export function notModified(request: Request, response: Response): Response {
  const asked = request.headers.get("if-none-match");
  const etag = response.headers.get("etag");
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || asked === null || etag === null || response.status !== 200) return response;
  const known = asked.split(",").map((one) => one.trim().replace(/^W\//, ""));
  if (!known.includes(etag) && asked.trim() !== "*") return response;
  const headers = new Headers(response.headers);
  for (const name of ["content-type", "content-encoding", "content-length"]) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
