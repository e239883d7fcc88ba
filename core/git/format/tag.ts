import {
  decodeHeader,
  decodeText,
  encodeHeader,
  type ObjectHeader,
  parseHeaders,
  serializeHeaders,
} from "./headers.ts";
import { formatIdentity, type Identity, parseIdentity } from "./identity.ts";
import type { ObjectId } from "./object-format.ts";
import { isObjectType, type ObjectType } from "./object-type.ts";

/** An annotated tag's parts. */
export interface Tag {
  object: ObjectId;
  type: ObjectType;
  name: string;
  /** Absent in some tags of the years before 2006. */
  tagger?: Identity;
  /** Every other header in its order, values latin1. */
  extraHeaders: ObjectHeader[];
  /** The message as stored, with a signature at its end when the tag is signed. */
  message: Buffer;
}

/** Reads an annotated tag, forgiving historic oddities. Throws when it names no object or no kind. */
export function parseTag(data: Buffer): Tag {
  const { headers, message } = parseHeaders(data);
  const first = new Map<string, string>();
  const extraHeaders: ObjectHeader[] = [];
  for (const header of headers) {
    const isOwn = ["object", "type", "tag", "tagger"].includes(header.name) && !first.has(header.name);
    if (isOwn) first.set(header.name, header.value);
    else extraHeaders.push(header);
  }
  const object = first.get("object");
  const type = first.get("type");
  const tagger = first.get("tagger");
  if (object === undefined || type === undefined || !isObjectType(type)) {
    throw new Error("tag without an object and its type");
  }
  return {
    object,
    type,
    name: decodeHeader(first.get("tag") ?? ""),
    ...(tagger === undefined ? {} : { tagger: parseIdentity(decodeHeader(tagger)) }),
    extraHeaders,
    message,
  };
}

/** The bytes of an annotated tag. */
export function serializeTag(tag: Tag): Buffer {
  const headers: ObjectHeader[] = [
    { name: "object", value: tag.object },
    { name: "type", value: tag.type },
    { name: "tag", value: encodeHeader(tag.name) },
  ];
  if (tag.tagger !== undefined) {
    headers.push({ name: "tagger", value: encodeHeader(formatIdentity(tag.tagger)) });
  }
  headers.push(...tag.extraHeaders);
  return serializeHeaders({ headers, message: tag.message });
}

const signatureStart = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m;

/** A tag's message as text, and the signature that follows it, if any. */
export function tagMessage(tag: Pick<Tag, "message">): { text: string; signature?: string } {
  const text = decodeText(tag.message);
  const start = signatureStart.exec(text)?.index;
  return start === undefined ? { text } : { text: text.slice(0, start), signature: text.slice(start) };
}

/** The first line of every signature that may follow a tag's message. */
const signatureLine = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----/gm;

/** A tag's signature and the bytes it signs, which are all before it; undefined when it is not signed. */
export function tagSignature(data: Buffer): { signature: string; payload: Buffer } | undefined {
  const start = [...data.toString("latin1").matchAll(signatureLine)].at(-1)?.index;
  if (start === undefined) return undefined;
  return { signature: data.toString("latin1", start), payload: data.subarray(0, start) };
}
