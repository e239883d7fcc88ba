import type { IncomingMessage, ServerResponse } from "node:http";
import type { Headers } from "./body.ts";
import { malformedXml, type S3Error } from "./error.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Target } from "./operation.ts";
import type { UploadStore } from "./upload-store.ts";
import { type XmlChildren, xmlDocument } from "./xml.ts";

/** The parts that an operation works with. */
export interface S3Request {
  /** The body; read by the operations that take one. Leaving it early does not cut the connection. */
  source: AsyncIterable<Buffer>;
  response: ServerResponse;
  target: Target;
  /** The request's headers, and the `x-amz-*` parameters of a presigned address, which count as headers. */
  headers: Headers;
  objects: ObjectStore;
  uploads: UploadStore;
}

/** One operation of the stand-in: answers the request or throws S3Error before anything has been sent. */
export type Handler = (request: S3Request) => Promise<void>;

const maximumXmlBytes = 4 * 1024 * 1024;

/** Headers of a request by name in lower case, a presigned address's `x-amz-*` parameters included. */
export function collectHeaders(request: IncomingMessage, target: Target): Headers {
  const headers = new Map<string, string>();
  for (const [name, value] of target.query) {
    if (/^x-amz-/i.test(name)) headers.set(name.toLowerCase(), value);
  }
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, value.toString());
  }
  return headers;
}

/** Reads a small XML body. */
export async function readXml(source: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of source) {
    sizeBytes += chunk.length;
    if (sizeBytes > maximumXmlBytes) throw malformedXml();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Answers 200 with an XML document. */
export function answerXml(response: ServerResponse, root: string, values: XmlChildren): void {
  response.writeHead(200, { "content-type": "application/xml" }).end(xmlDocument(root, values));
}

/** Answers with an error in S3's form; a HEAD gets the status alone. */
export function answerError(response: ServerResponse, error: S3Error): void {
  const { status, code, message } = error;
  const requestId = String(response.getHeader("x-amz-request-id"));
  const body = xmlDocument("Error", { Code: code, Message: message, RequestId: requestId });
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
