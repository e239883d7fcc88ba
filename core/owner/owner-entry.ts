import { flagsAt } from "../list-index/entry-kind.ts";
import { checkFormat, fit32, packFlags, searchText } from "../list-index/packing.ts";
import type { Visibility } from "./owner.table.ts";

/** The entry of a user or an organization in the list index. Times are whole seconds. Texts are kept in lower case. */
export interface OwnerEntry {
  readonly isOrganization: boolean;
  readonly name: string;
  readonly fullName: string;
  readonly isActive: boolean;
  readonly isAdmin: boolean;
  readonly isRestricted: boolean;
  readonly isLoginProhibited: boolean;
  readonly isBot: boolean;
  readonly visibility: Visibility;
  /** 0: local accounts. */
  readonly loginSourceId: number;
  readonly loginName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The format byte of entries. */
export const ownerFormat = 1;
const format = ownerFormat;
const mostNameBytes = 255;
const mostLongBytes = 1024;
/** From public to hidden. */
export const visibilities: readonly Visibility[] = ["public", "limited", "private"];

/** Bits of the flags byte, beside `existsFlag`. */
export const ownerFlags = {
  organization: 2,
  active: 4,
  admin: 8,
  restricted: 16,
  loginProhibited: 32,
  bot: 64,
} as const;

/**
 * Offsets, in bytes. Behind format and flags: visibility (its place in public, limited, private), length of the name
 * (8 bits each), version, created, updated, login source (32 bits each), lengths of full name and login name (16 bits
 * each), the three texts.
 */
export const ownerAt = {
  visibility: 2,
  nameLength: 3,
  version: 4,
  created: 8,
  updated: 12,
  loginSource: 16,
  fullNameLength: 20,
  loginNameLength: 22,
  name: 24,
} as const;

/** The number that stands for a visibility in an entry. */
export const visibilityCode = (visibility: Visibility): number => visibilities.indexOf(visibility);
/** The visibility of a number in an entry; an unknown one is hidden. */
export const visibilityFrom = (code: number): Visibility => visibilities[code] ?? "private";

/** Packs an entry: 24 bytes and the texts. */
export function encodeOwner(entry: OwnerEntry, version: number): Buffer {
  const name = searchText(entry.name, mostNameBytes);
  const fullName = searchText(entry.fullName, mostLongBytes);
  const loginName = searchText(entry.loginName, mostLongBytes);
  const head = Buffer.alloc(ownerAt.name);
  head[0] = format;
  head[flagsAt] = packFlags(
    true,
    entry.isOrganization,
    entry.isActive,
    entry.isAdmin,
    entry.isRestricted,
    entry.isLoginProhibited,
    entry.isBot,
  );
  head.writeUInt8(visibilityCode(entry.visibility), ownerAt.visibility);
  head.writeUInt8(name.length, ownerAt.nameLength);
  head.writeUInt32BE(version, ownerAt.version);
  head.writeUInt32BE(fit32(entry.createdAt), ownerAt.created);
  head.writeUInt32BE(fit32(entry.updatedAt), ownerAt.updated);
  head.writeUInt32BE(fit32(entry.loginSourceId), ownerAt.loginSource);
  head.writeUInt16BE(fullName.length, ownerAt.fullNameLength);
  head.writeUInt16BE(loginName.length, ownerAt.loginNameLength);
  return Buffer.concat([head, name, fullName, loginName]);
}

/** The starts of the texts of an entry; the last number is their end. */
export function ownerTexts(bytes: Buffer, at: number): { fullName: number; loginName: number; end: number } {
  const fullName = at + ownerAt.name + bytes.readUInt8(at + ownerAt.nameLength);
  const loginName = fullName + bytes.readUInt16BE(at + ownerAt.fullNameLength);
  return { fullName, loginName, end: loginName + bytes.readUInt16BE(at + ownerAt.loginNameLength) };
}

/** Unpacks an entry; texts come in lower case. Throws when its format is unknown. */
export function decodeOwner(bytes: Buffer, at: number): OwnerEntry & { readonly version: number } {
  checkFormat(bytes, at, format, "a user's entry");
  const flags = bytes.readUInt8(at + flagsAt);
  const has = (flag: number) => (flags & flag) !== 0;
  const texts = ownerTexts(bytes, at);
  return {
    isOrganization: has(ownerFlags.organization),
    isActive: has(ownerFlags.active),
    isAdmin: has(ownerFlags.admin),
    isRestricted: has(ownerFlags.restricted),
    isLoginProhibited: has(ownerFlags.loginProhibited),
    isBot: has(ownerFlags.bot),
    visibility: visibilityFrom(bytes.readUInt8(at + ownerAt.visibility)),
    loginSourceId: bytes.readUInt32BE(at + ownerAt.loginSource),
    createdAt: bytes.readUInt32BE(at + ownerAt.created),
    updatedAt: bytes.readUInt32BE(at + ownerAt.updated),
    version: bytes.readUInt32BE(at + ownerAt.version),
    name: bytes.toString("utf8", at + ownerAt.name, texts.fullName),
    fullName: bytes.toString("utf8", texts.fullName, texts.loginName),
    loginName: bytes.toString("utf8", texts.loginName, texts.end),
  };
}
