import { flagsAt } from "../list-index/entry-kind.ts";
import { checkFormat, fit32, fit48, packFlags, searchText } from "../list-index/packing.ts";
import { type ListedVersion, packageTypes } from "./package.table.ts";

/** The entry of a version in the list index. */
export type PackageEntry = Pick<ListedVersion, "packageId" | "type" | "name" | "createdAt" | "bytes">;

/** The format byte of entries. */
export const packageFormat = 1;
const mostNameBytes = 4 * 255;

/**
 * Offsets, in bytes. Behind format and flags: the registry (its place in `packageTypes`, 16 bits), version, created and
 * package (32 bits each), bytes (48 bits), the name's length (16 bits), the name.
 */
export const packageAt = {
  type: 2,
  version: 4,
  created: 8,
  packageId: 12,
  bytes: 16,
  nameLength: 22,
  name: 24,
} as const;

/** The number that stands for a registry in an entry. */
export const typeCode = (type: PackageEntry["type"]): number => packageTypes.indexOf(type);

/** Packs an entry: 24 bytes and the name in lower case. */
export function encodePackage(
  { packageId, type, name, createdAt, bytes }: PackageEntry,
  version: number,
): Buffer {
  const text = searchText(name, mostNameBytes);
  const head = Buffer.alloc(packageAt.name);
  head[0] = packageFormat;
  head[flagsAt] = packFlags(true);
  head.writeUInt16BE(typeCode(type), packageAt.type);
  head.writeUInt32BE(version, packageAt.version);
  head.writeUInt32BE(fit32(createdAt), packageAt.created);
  head.writeUInt32BE(fit32(packageId), packageAt.packageId);
  head.writeUIntBE(fit48(bytes), packageAt.bytes, 6);
  head.writeUInt16BE(text.length, packageAt.nameLength);
  return Buffer.concat([head, text]);
}

/** Where the name in an entry ends. */
export const endOfName = (bytes: Buffer, at: number): number =>
  at + packageAt.name + bytes.readUInt16BE(at + packageAt.nameLength);

/** Unpacks an entry; the name comes in lower case. Throws when its format is unknown. */
export function decodePackage(bytes: Buffer, at: number): PackageEntry & { readonly version: number } {
  checkFormat(bytes, at, packageFormat, "a package's entry");
  return {
    packageId: bytes.readUInt32BE(at + packageAt.packageId),
    type: packageTypes[bytes.readUInt16BE(at + packageAt.type)] ?? "generic",
    name: bytes.toString("utf8", at + packageAt.name, endOfName(bytes, at)),
    createdAt: bytes.readUInt32BE(at + packageAt.created),
    bytes: bytes.readUIntBE(at + packageAt.bytes, 6),
    version: bytes.readUInt32BE(at + packageAt.version),
  };
}
