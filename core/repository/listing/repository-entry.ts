import { bitsOfUnits, type UnitName, unitNames } from "../../access/modes.ts";
import { type ActivityBlock, flagsAt } from "../../list-index/entry-kind.ts";
import { checkFormat, fit32, fit48, packFlags, searchText } from "../../list-index/packing.ts";

/** The entry of a repository in the list index. Times are whole seconds. */
export interface RepositoryEntry {
  readonly ownerId: number;
  /** In any case; kept and read back in lower case. */
  readonly name: string;
  readonly isPrivate: boolean;
  readonly isFork: boolean;
  readonly isMirror: boolean;
  readonly isTemplate: boolean;
  readonly isArchived: boolean;
  readonly isEmpty: boolean;
  /** The units of its item: the installation may not offer all of them. */
  readonly units: readonly UnitName[];
  /** Teams that were given the repository. */
  readonly teamIds: readonly number[];
  readonly createdAt: number;
  /** When the repository item was last edited. */
  readonly updatedAt: number;
  /** Kept apart from the entry, for searches in texts; not read back by `decode`. */
  readonly topics?: readonly string[];
  readonly description?: string;
}

/** The part that changes without an edit and may follow within seconds. `updatedAt` is the time of the latest event. */
export interface RepositoryActivity {
  readonly updatedAt: number;
  readonly gitBytes: number;
  readonly lfsBytes: number;
  readonly stars: number;
  readonly forks: number;
}

/** The format byte of entries. */
export const repositoryFormat = 2;
const format = repositoryFormat;
const textFormat = 1;
const mostNameBytes = 255;
const mostTopics = 255;
const mostDescriptionBytes = 0xffff;

/** Bits of the flags byte, beside `existsFlag`. */
export const repositoryFlags = {
  private: 2,
  fork: 4,
  mirror: 8,
  template: 16,
  archived: 32,
  empty: 64,
} as const;

/**
 * Offsets, in bytes. Behind format and flags: number of teams (16 bits), version, owner, created, updated (32 bits
 * each); the activity block (version in ms, 48 bits; updated, 32; git and LFS bytes, 48 each; stars, forks, 32 each);
 * length of the name (8 bits), units (16 bits, `bitsOfUnits`), the name, team ids (32 bits each).
 */
export const repositoryAt = {
  teamCount: 2,
  version: 4,
  owner: 8,
  created: 12,
  updated: 16,
  activity: 20,
  activityUpdated: 26,
  gitBytes: 30,
  lfsBytes: 36,
  stars: 42,
  forks: 46,
  nameLength: 50,
  units: 51,
  name: 53,
} as const;

/** The place of the activity in an entry. */
export const repositoryActivityBlock: ActivityBlock = {
  at: repositoryAt.activity,
  length: repositoryAt.nameLength - repositoryAt.activity,
};

/** Packs an entry without activity: 53 bytes, the name, and 4 for each team. */
export function encodeRepository(entry: RepositoryEntry, version: number): Buffer {
  const name = searchText(entry.name, mostNameBytes);
  const teamsAt = repositoryAt.name + name.length;
  const bytes = Buffer.alloc(teamsAt + 4 * entry.teamIds.length);
  bytes[0] = format;
  bytes[flagsAt] = packFlags(
    true,
    entry.isPrivate,
    entry.isFork,
    entry.isMirror,
    entry.isTemplate,
    entry.isArchived,
    entry.isEmpty,
  );
  bytes.writeUInt16BE(entry.teamIds.length, repositoryAt.teamCount);
  bytes.writeUInt32BE(version, repositoryAt.version);
  bytes.writeUInt32BE(entry.ownerId, repositoryAt.owner);
  bytes.writeUInt32BE(fit32(entry.createdAt), repositoryAt.created);
  bytes.writeUInt32BE(fit32(entry.updatedAt), repositoryAt.updated);
  bytes.writeUInt8(name.length, repositoryAt.nameLength);
  bytes.writeUInt16BE(bitsOfUnits(entry.units), repositoryAt.units);
  name.copy(bytes, repositoryAt.name);
  entry.teamIds.forEach((id, place) => {
    bytes.writeUInt32BE(id, teamsAt + 4 * place);
  });
  return bytes;
}

/** Packs an activity block; `version` is the time of the writing in milliseconds. */
export function encodeActivity(activity: RepositoryActivity, version: number): Buffer {
  const from = repositoryAt.activity;
  const bytes = Buffer.alloc(repositoryActivityBlock.length);
  bytes.writeUIntBE(fit48(version), 0, 6);
  bytes.writeUInt32BE(fit32(activity.updatedAt), repositoryAt.activityUpdated - from);
  bytes.writeUIntBE(fit48(activity.gitBytes), repositoryAt.gitBytes - from, 6);
  bytes.writeUIntBE(fit48(activity.lfsBytes), repositoryAt.lfsBytes - from, 6);
  bytes.writeUInt32BE(fit32(activity.stars), repositoryAt.stars - from);
  bytes.writeUInt32BE(fit32(activity.forks), repositoryAt.forks - from);
  return bytes;
}

/** Unpacks an entry, without its texts. Throws when its format is unknown. */
export function decodeRepository(bytes: Buffer, at: number): RepositoryEntry & { readonly version: number } {
  checkFormat(bytes, at, format, "a repository's entry");
  const flags = bytes.readUInt8(at + flagsAt);
  const has = (flag: number) => (flags & flag) !== 0;
  const nameAt = at + repositoryAt.name;
  const teamsAt = nameAt + bytes.readUInt8(at + repositoryAt.nameLength);
  const units = bytes.readUInt16BE(at + repositoryAt.units);
  const teamCount = bytes.readUInt16BE(at + repositoryAt.teamCount);
  return {
    ownerId: bytes.readUInt32BE(at + repositoryAt.owner),
    name: bytes.toString("utf8", nameAt, teamsAt),
    isPrivate: has(repositoryFlags.private),
    isFork: has(repositoryFlags.fork),
    isMirror: has(repositoryFlags.mirror),
    isTemplate: has(repositoryFlags.template),
    isArchived: has(repositoryFlags.archived),
    isEmpty: has(repositoryFlags.empty),
    units: unitNames.filter((_name, place) => (units & (1 << place)) !== 0),
    teamIds: Array.from({ length: teamCount }, (_, place) => bytes.readUInt32BE(teamsAt + 4 * place)),
    createdAt: bytes.readUInt32BE(at + repositoryAt.created),
    updatedAt: bytes.readUInt32BE(at + repositoryAt.updated),
    version: bytes.readUInt32BE(at + repositoryAt.version),
  };
}

/** Packs topics and description: format, number of topics, each with its length, length of the description, itself. */
export function encodeRepositoryText({ topics = [], description = "" }: RepositoryEntry): Buffer {
  const parts = topics.slice(0, mostTopics).map((topic) => searchText(topic, 255));
  const text = searchText(description, mostDescriptionBytes);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  const packed = parts.flatMap((part) => [Buffer.of(part.length), part]);
  return Buffer.concat([Buffer.of(textFormat, parts.length), ...packed, length, text]);
}

/** The text of an entry without topics and description. */
export const noRepositoryText = Buffer.of(textFormat, 0, 0, 0);

/** How long packed topics and description are. */
export function repositoryTextLength(bytes: Buffer, at: number): number {
  let place = at + 2;
  for (let left = bytes.readUInt8(at + 1); left > 0; left -= 1) place += 1 + bytes.readUInt8(place);
  return place + 2 + bytes.readUInt16BE(place) - at;
}
