import { createHash, hash as hashOnce } from "node:crypto";

/** A repository's hash: every id in it is of this kind. */
export type ObjectFormat = "sha1" | "sha256";

/** An object's name in lower-case hexadecimal: 40 digits for sha1, 64 for sha256. */
export type ObjectId = string;

interface FormatFacts {
  readonly bytes: number;
  readonly hexLength: number;
  readonly pattern: RegExp;
  readonly zeroId: ObjectId;
  readonly emptyTreeId: ObjectId;
}

const factsOf = (format: ObjectFormat, bytes: number): FormatFacts => ({
  bytes,
  hexLength: bytes * 2,
  pattern: new RegExp(`^[0-9a-f]{${bytes * 2}}$`),
  zeroId: "0".repeat(bytes * 2),
  emptyTreeId: createHash(format).update("tree 0\0").digest("hex"),
});

const facts: Record<ObjectFormat, FormatFacts> = { sha1: factsOf("sha1", 20), sha256: factsOf("sha256", 32) };

/** Length of a binary id: 20 or 32. */
export const objectIdBytes = (format: ObjectFormat): number => facts[format].bytes;

/** Length of a hexadecimal id: 40 or 64. */
export const objectIdLength = (format: ObjectFormat): number => facts[format].hexLength;

/** True for one whole lower-case id of the format. */
export const isObjectId = (format: ObjectFormat, text: string): text is ObjectId =>
  text.length === facts[format].hexLength && facts[format].pattern.test(text);

/** The id that stands for "no object" in ref updates. */
export const zeroId = (format: ObjectFormat): ObjectId => facts[format].zeroId;

/** The id of the tree without entries, which git knows without storing it. */
export const emptyTreeId = (format: ObjectFormat): ObjectId => facts[format].emptyTreeId;

/** The hash of some bytes, binary. */
export const hashBytes = (format: ObjectFormat, data: Uint8Array): Buffer => hashOnce(format, data, "buffer");

/** The binary id of an object: hash of `<type> <size>\0` and its content. */
export function hashObject(format: ObjectFormat, type: string, data: Uint8Array): Buffer {
  return createHash(format).update(`${type} ${data.length}\0`).update(data).digest();
}

/** The hexadecimal id of an object. */
export const objectIdOf = (format: ObjectFormat, type: string, data: Uint8Array): ObjectId =>
  hashObject(format, type, data).toString("hex");
