import { flagsAt } from "../list-index/entry-kind.ts";
import { checkFormat, fit32, numbersAt, packFlags } from "../list-index/packing.ts";

/** The entry of an issue or pull in the list index. Times are whole seconds; 0 stands for none. */
export interface IssueEntry {
  readonly isPull: boolean;
  readonly isClosed: boolean;
  readonly isMerged: boolean;
  readonly isDraft: boolean;
  readonly isLocked: boolean;
  readonly authorId: number;
  /** 0: none. */
  readonly milestoneId: number;
  readonly labelIds: readonly number[];
  readonly assigneeIds: readonly number[];
  /** Place among the pinned issues; 0: not pinned. */
  readonly pin: number;
  readonly comments: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deadline: number;
  /** Of pulls alone: 8 bytes that stand for the base branch, and 8 for the head. */
  readonly branches?: Buffer;
}

/** How long `branches` is. */
export const branchesBytes = 16;

/** The format byte of entries. */
export const issueFormat = 1;
const format = issueFormat;
const mostComments = 0xff_ffff;

/** Bits of the flags byte, beside `existsFlag`. */
export const issueFlags = { closed: 2, pull: 4, merged: 8, draft: 16, locked: 32 } as const;

/**
 * Offsets, in bytes: format, flags, numbers of labels and assignees; then 32-bit numbers (times in seconds, later than
 * 2106 counts as 2106); comments in 24 bits; labels and assignees, 32 bits each; and of pulls the branches at the end.
 */
export const issueAt = {
  labelCount: 2,
  assigneeCount: 3,
  created: 4,
  updated: 8,
  deadline: 12,
  milestone: 16,
  author: 20,
  version: 24,
  comments: 28,
  pin: 31,
  labels: 32,
} as const;

/** Packs an entry: 32 bytes, 4 for each label and assignee, and 16 for the branches of a pull. */
export function encodeIssue(entry: IssueEntry, version: number): Buffer {
  const { labelIds, assigneeIds } = entry;
  const branchesAt = issueAt.labels + 4 * (labelIds.length + assigneeIds.length);
  const bytes = Buffer.alloc(branchesAt + (entry.isPull ? branchesBytes : 0));
  bytes[0] = format;
  bytes[flagsAt] = packFlags(
    true,
    entry.isClosed,
    entry.isPull,
    entry.isMerged,
    entry.isDraft,
    entry.isLocked,
  );
  bytes.writeUInt8(labelIds.length, issueAt.labelCount);
  bytes.writeUInt8(assigneeIds.length, issueAt.assigneeCount);
  bytes.writeUInt32BE(fit32(entry.createdAt), issueAt.created);
  bytes.writeUInt32BE(fit32(entry.updatedAt), issueAt.updated);
  bytes.writeUInt32BE(fit32(entry.deadline), issueAt.deadline);
  bytes.writeUInt32BE(entry.milestoneId, issueAt.milestone);
  bytes.writeInt32BE(entry.authorId, issueAt.author);
  bytes.writeUInt32BE(version, issueAt.version);
  bytes.writeUIntBE(Math.min(entry.comments, mostComments), issueAt.comments, 3);
  bytes.writeUInt8(Math.min(entry.pin, 255), issueAt.pin);
  [...labelIds, ...assigneeIds].forEach((id, place) => {
    bytes.writeUInt32BE(id, issueAt.labels + 4 * place);
  });
  if (entry.isPull) entry.branches?.copy(bytes, branchesAt);
  return bytes;
}

/** Where the branches of a pull lie, and the entry of an issue ends. */
export const branchesPlace = (bytes: Buffer, at: number): number =>
  at +
  issueAt.labels +
  4 * ((bytes[at + issueAt.labelCount] ?? 0) + (bytes[at + issueAt.assigneeCount] ?? 0));

/** Unpacks an entry. Throws when its format is unknown. */
export function decodeIssue(bytes: Buffer, at: number): IssueEntry & { readonly version: number } {
  checkFormat(bytes, at, format, "an issue's entry");
  const flags = bytes.readUInt8(at + flagsAt);
  const labelCount = bytes.readUInt8(at + issueAt.labelCount);
  const assigneeCount = bytes.readUInt8(at + issueAt.assigneeCount);
  const isPull = (flags & issueFlags.pull) !== 0;
  const branchesAt = branchesPlace(bytes, at);
  return {
    ...(isPull ? { branches: bytes.subarray(branchesAt, branchesAt + branchesBytes) } : {}),
    isClosed: (flags & issueFlags.closed) !== 0,
    isPull,
    isMerged: (flags & issueFlags.merged) !== 0,
    isDraft: (flags & issueFlags.draft) !== 0,
    isLocked: (flags & issueFlags.locked) !== 0,
    authorId: bytes.readInt32BE(at + issueAt.author),
    milestoneId: bytes.readUInt32BE(at + issueAt.milestone),
    labelIds: numbersAt(bytes, at + issueAt.labels, labelCount),
    assigneeIds: numbersAt(bytes, at + issueAt.labels + 4 * labelCount, assigneeCount),
    pin: bytes.readUInt8(at + issueAt.pin),
    comments: bytes.readUIntBE(at + issueAt.comments, 3),
    createdAt: bytes.readUInt32BE(at + issueAt.created),
    updatedAt: bytes.readUInt32BE(at + issueAt.updated),
    deadline: bytes.readUInt32BE(at + issueAt.deadline),
    version: bytes.readUInt32BE(at + issueAt.version),
  };
}
