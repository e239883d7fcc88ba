import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { create, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { acceptedEncoding } from "../http/answer/accepted-encoding.ts";
import { descriptorOf, type MessageName } from "./descriptors.ts";

/** The two encodings of Connect's unary calls: an answer comes in that of its request. */
const encodings = ["application/json", "application/proto"] as const;
export type Encoding = (typeof encodings)[number];

/** The encoding that a request's media type names; undefined for any other. */
export function encodingOf({ headers }: Request): Encoding | undefined {
  const type = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  return encodings.find((one) => one === type);
}

/** The bytes of a message. */
export function encode(name: MessageName, fields: object, encoding: Encoding): Buffer {
  const descriptor = descriptorOf(name);
  const message: Message = create(descriptor, fields as never);
  if (encoding === "application/proto") return Buffer.from(toBinary(descriptor, message));
  return Buffer.from(JSON.stringify(toJson(descriptor, message)));
}

const compress = promisify(gzip);
/** Shorter answers gain nothing. */
const compressedFrom = 1_024;

/** A successful answer; long ones are compressed for clients that read it. */
export async function connectAnswer(request: Request, bytes: Buffer, encoding: Encoding): Promise<Response> {
  const headers = new Headers({ "content-type": encoding });
  if (bytes.length <= compressedFrom || acceptedEncoding(request, ["gzip"]) === undefined) {
    return new Response(new Uint8Array(bytes), { headers });
  }
  headers.set("content-encoding", "gzip");
  return new Response(new Uint8Array(await compress(bytes)), { headers });
}
