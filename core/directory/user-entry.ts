import type { Visibility } from "../owner/owner.table.ts";
import { flagsAt } from "./entry-kind.ts";
import { checkFormat, fit32, packFlags, searchText } from "./internal/packing.ts";

/** The entry of a user or an organization in the list index. Times are whole seconds. Texts are kept in lower case. */
export interface UserEntry {
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
export const userFormat = 1;
const format = userFormat;
const mostNameBytes = 255;
const mostLongBytes = 1024;
/** From public to hidden. */
export const visibilities: readonly Visibility[] = ["public", "limited", "private"];

/** Bits of the flags byte, beside `existsFlag`. */
export const userFlags = {
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
export const userAt = {
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
export function encodeUser(entry: UserEntry, version: number): Buffer {
  const name = searchText(entry.name, mostNameBytes);
  const fullName = searchText(entry.fullName, mostLongBytes);
  const loginName = searchText(entry.loginName, mostLongBytes);
  const head = Buffer.alloc(userAt.name);
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
  head.writeUInt8(visibilityCode(entry.visibility), userAt.visibility);
  head.writeUInt8(name.length, userAt.nameLength);
  head.writeUInt32BE(version, userAt.version);
  head.writeUInt32BE(fit32(entry.createdAt), userAt.created);
  head.writeUInt32BE(fit32(entry.updatedAt), userAt.updated);
  head.writeUInt32BE(fit32(entry.loginSourceId), userAt.loginSource);
  head.writeUInt16BE(fullName.length, userAt.fullNameLength);
  head.writeUInt16BE(loginName.length, userAt.loginNameLength);
  return Buffer.concat([head, name, fullName, loginName]);
}

/** The starts of the texts of an entry; the last number is their end. */
export function userTexts(bytes: Buffer, at: number): { fullName: number; loginName: number; end: number } {
  const fullName = at + userAt.name + bytes.readUInt8(at + userAt.nameLength);
  const loginName = fullName + bytes.readUInt16BE(at + userAt.fullNameLength);
  return { fullName, loginName, end: loginName + bytes.readUInt16BE(at + userAt.loginNameLength) };
}

/** Unpacks an entry; texts come in lower case. Throws when its format is unknown. */
export function decodeUser(bytes: Buffer, at: number): UserEntry & { readonly version: number } {
  checkFormat(bytes, at, format, "a user's entry");
  const flags = bytes.readUInt8(at + flagsAt);
  const has = (flag: number) => (flags & flag) !== 0;
  const texts = userTexts(bytes, at);
  return {
    isOrganization: has(userFlags.organization),
    isActive: has(userFlags.active),
    isAdmin: has(userFlags.admin),
    isRestricted: has(userFlags.restricted),
    isLoginProhibited: has(userFlags.loginProhibited),
    isBot: has(userFlags.bot),
    visibility: visibilityFrom(bytes.readUInt8(at + userAt.visibility)),
    loginSourceId: bytes.readUInt32BE(at + userAt.loginSource),
    createdAt: bytes.readUInt32BE(at + userAt.created),
    updatedAt: bytes.readUInt32BE(at + userAt.updated),
    version: bytes.readUInt32BE(at + userAt.version),
    name: bytes.toString("utf8", at + userAt.name, texts.fullName),
    fullName: bytes.toString("utf8", texts.fullName, texts.loginName),
    loginName: bytes.toString("utf8", texts.loginName, texts.end),
  };
}
