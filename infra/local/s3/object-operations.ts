import type { FileHandle } from "node:fs/promises";
import { type Headers, receiveBody } from "./body.ts";
import { noSuchKey, S3Error } from "./error.ts";
import type { ObjectRecord } from "./object-file.ts";
import type { Handler, S3Request } from "./request.ts";
import { sendFile } from "./send-file.ts";

const kept = [
  "content-type",
  "content-disposition",
  "content-encoding",
  "content-language",
  "cache-control",
  "expires",
];

/** The headers of a put that a later get answers with. */
export function keptHeaders(headers: Headers): Record<string, string> {
  const found: Record<string, string> = { "content-type": "binary/octet-stream" };
  for (const [name, value] of headers) {
    if (kept.includes(name) || name.startsWith("x-amz-meta-")) found[name] = value;
  }
  const encodings = (found["content-encoding"] ?? "").split(",").map((one) => one.trim());
  const encoding = encodings.filter((one) => one !== "" && one !== "aws-chunked").join(",");
  if (encoding === "") delete found["content-encoding"];
  else found["content-encoding"] = encoding;
  return found;
}

/** PutObject; with `If-None-Match: *` only where nothing lies. */
export const putObject: Handler = async ({ source, response, target, headers, objects }) => {
  if (headers.has("if-none-match")) await requireNothingAt(objects, target.key);
  const body = receiveBody(source, headers);
  const record = await objects.put({ key: target.key, headers: keptHeaders(headers), ...body });
  response.writeHead(200, { etag: `"${record.etag}"`, ...checksumHeaders(record) }).end();
};

async function requireNothingAt(objects: S3Request["objects"], key: string): Promise<void> {
  const opened = await objects.open(key);
  if (opened === undefined) return;
  await opened.file.close();
  throw unmetCondition();
}

const unmetCondition = () =>
  new S3Error(412, "PreconditionFailed", "At least one of the preconditions given did not hold.");

/** DeleteObject: 204 whether or not it was there. */
export const deleteObject: Handler = async ({ response, target, objects }) => {
  await objects.remove([target.key]);
  response.writeHead(204).end();
};

/** GetObject and HeadObject, with one range and with conditions. */
export const getObject: Handler = async (request) => {
  const opened = await request.objects.open(request.target.key);
  if (opened === undefined) throw noSuchKey();
  try {
    await answerObject(request, opened.file, opened.record);
  } finally {
    await opened.file.close();
  }
};

const checksumHeaders = (record: ObjectRecord) => ({
  "x-amz-checksum-crc32": record.crc32,
  "x-amz-checksum-type": "FULL_OBJECT",
});

async function answerObject(request: S3Request, file: FileHandle, record: ObjectRecord): Promise<void> {
  const { response, target, headers } = request;
  const basic = {
    etag: `"${record.etag}"`,
    "last-modified": new Date(record.modified).toUTCString(),
    "accept-ranges": "bytes",
  };
  const outcome = evaluateConditions(headers, record);
  if (outcome === "failed") throw unmetCondition();
  if (outcome === "not-modified") {
    response.writeHead(304, basic).end();
    return;
  }
  const range = parseRange(headers.get("range"), record.sizeBytes);
  const { start, end } = range ?? { start: 0, end: record.sizeBytes };
  const asksForChecksum = headers.get("x-amz-checksum-mode") === "ENABLED" && range === undefined;
  response.writeHead(range === undefined ? 200 : 206, {
    ...record.headers,
    ...overrides(target.query),
    ...basic,
    "content-length": end - start,
    ...(range && { "content-range": `bytes ${start}-${end - 1}/${record.sizeBytes}` }),
    ...(asksForChecksum && checksumHeaders(record)),
  });
  if (response.req.method === "HEAD" || start === end) {
    response.end();
    return;
  }
  await sendFile(file, { start, end }, response);
}

/** The `response-*` parameters, which replace headers in the answer. */
function overrides(query: ReadonlyMap<string, string>): Record<string, string> {
  const found = [...query].filter(([name]) => name.startsWith("response-"));
  return Object.fromEntries(found.map(([name, value]) => [name.slice("response-".length), value]));
}

function evaluateConditions(headers: Headers, record: ObjectRecord): "failed" | "not-modified" | "met" {
  const names = (list: string) =>
    list.split(",").map((one) => one.trim().replace(/^W\//, "").replaceAll('"', ""));
  const isNamed = (list: string) => names(list).some((one) => one === "*" || one === record.etag);
  const match = headers.get("if-match");
  const noneMatch = headers.get("if-none-match");
  const unmodified = headers.get("if-unmodified-since");
  const modified = headers.get("if-modified-since");
  if (match !== undefined ? !isNamed(match) : record.modified > Date.parse(unmodified ?? "")) return "failed";
  const isKnown =
    noneMatch !== undefined ? isNamed(noneMatch) : record.modified <= Date.parse(modified ?? "");
  return isKnown ? "not-modified" : "met";
}

/**
 * The requested part, `end` exclusive; undefined for the whole object, also when the header is malformed or names
 * several ranges, like S3. Throws InvalidRange (416) when nothing of the object lies in it.
 */
export function parseRange(
  text: string | undefined,
  sizeBytes: number,
): { start: number; end: number } | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(text ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const isSuffix = first === "";
  if (!isSuffix && last !== "" && Number(last) < Number(first)) return undefined;
  const start = isSuffix ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = isSuffix || last === "" ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  if (start >= end) throw new S3Error(416, "InvalidRange", "The requested range is not satisfiable");
  return { start, end };
}
