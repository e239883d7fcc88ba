import { defined } from "../defined.ts";
import { issueSequenceKey, lastNumber } from "../ids.ts";
import {
  type EntryKind,
  type EntryLayout,
  flagsAt,
  type Ranking,
  type Row,
} from "../list-index/entry-kind.ts";
import { issueIndexPartition } from "../list-index/list-index.table.ts";
import type { ListIndex } from "../list-index/list-index.ts";
import { FlagTest, holdsNumber, numbersAt } from "../list-index/packing.ts";
import type { KeyOf } from "../list-index/page.ts";
import { type Issue, indexEntry, issueKey } from "./issue.table.ts";
import {
  branchesBytes,
  branchesPlace,
  decodeIssue,
  encodeIssue,
  type IssueEntry,
  issueAt,
  issueFlags,
  issueFormat,
} from "./issue-entry.ts";

/** Filters for issues and pulls. Absent members filter nothing; all given ones must hold. */
export interface IssueFilter {
  readonly state?: "open" | "closed";
  readonly type?: "issue" | "pull";
  readonly isMerged?: boolean;
  readonly isDraft?: boolean;
  /** At least one label of each of these groups: labels of the same name in several repositories form a group. */
  readonly labelGroups?: readonly (readonly number[])[];
  /** One of these milestones; 0 stands for "none". */
  readonly milestoneIds?: ReadonlySet<number>;
  readonly authorId?: number;
  readonly assigneeId?: number;
  /** Last updated at this second or later. */
  readonly updatedSince?: number;
  /** Last updated at this second or earlier. */
  readonly updatedBefore?: number;
  /** Only these numbers: the result of another index (words, mentions, reviews). */
  readonly numbers?: ReadonlySet<number>;
  /** Pulls whose branches these stand for: `base` and `head` as in `IssueEntry.branches`, 8 bytes each. */
  readonly branches?: { readonly base?: Buffer; readonly head?: Buffer };
  /** Asked last, with the labels of each that fits otherwise. */
  readonly accepts?: (labelIds: readonly number[]) => boolean;
}

/** The orders of the API family. `latest` is the default there. */
export type IssueOrder =
  | "latest"
  | "oldest"
  | "recentupdate"
  | "leastupdate"
  | "mostcomment"
  | "leastcomment"
  | "nearduedate"
  | "farduedate";

/** An order; for due dates an issue may also be due with its milestone (`milestoneDeadlines`: seconds by id). */
export interface IssueSort {
  readonly by: IssueOrder;
  readonly milestoneDeadlines?: ReadonlyMap<number, number>;
}

/**
 * The key that merges lists of several repositories. For orders by number it is the issue's creation time, because
 * numbers of different repositories don't compare.
 */
export function orderAcross(sort: IssueSort): { readonly keyOf: KeyOf; readonly isDescending: boolean } {
  const { key, isDescending, isById } = ranking(sort);
  const created: KeyOf = ({ bytes, at }) => bytes.readUInt32BE(at + issueAt.created);
  return { keyOf: isById === true ? created : (key as KeyOf), isDescending };
}

/** The list index of a repository's issues and pulls, by number. */
export const issueIndex = (repositoryId: number): ListIndex<IssueEntry, IssueFilter, IssueSort> => ({
  name: `issues-${repositoryId}`,
  partition: issueIndexPartition(repositoryId),
  layout,
  kind: issueKind,
  source: {
    lastId: (forge) => lastNumber(forge.table, issueSequenceKey(repositoryId)),
    itemKey: (number) => issueKey(repositoryId, number),
    async read({ table }, first, end) {
      const keys = Array.from({ length: end - first }, (_, at) => issueKey(repositoryId, first + at));
      const found = [...(await table.getAll<Issue>(keys)).values()];
      return found
        .map((issue) => ({ id: issue.number, bytes: encodeIssue(indexEntry(issue), issue.v) }))
        .sort((one, other) => one.id - other.id);
    },
  },
});

const layout: EntryLayout = {
  span: 1024,
  format: issueFormat,
  length: (bytes, at) =>
    branchesPlace(bytes, at) -
    at +
    (((bytes[at + flagsAt] ?? 0) & issueFlags.pull) === 0 ? 0 : branchesBytes),
  versionAt: issueAt.version,
  summary: {
    classOf: (bytes, at) => classOfFlags(bytes[at + flagsAt] ?? 0),
    updatedAt: issueAt.updated,
  },
};

/** Open issues, closed issues, open pulls, closed pulls. */
const classOfFlags = (flags: number): number =>
  ((flags & issueFlags.pull) === 0 ? 0 : 2) + ((flags & issueFlags.closed) === 0 ? 0 : 1);

const issueKind: EntryKind<IssueEntry, IssueFilter, IssueSort> = {
  layout,
  encode: encodeIssue,
  decode: decodeIssue,
  matcher,
  ranking,
  needs: ({ numbers, updatedSince }) => ({
    ...defined({ ids: numbers, updatedSince }),
  }),
  countedClasses({ state, type, ...others }, { by }) {
    if (by !== "latest" || Object.values(others).some((value) => value !== undefined)) return undefined;
    const isWanted = (place: number) =>
      (state === undefined || (place % 2 === 1) === (state === "closed")) &&
      (type === undefined || place >= 2 === (type === "pull"));
    return [0, 1, 2, 3].filter(isWanted);
  },
};

function matcher(filter: IssueFilter): (row: Row) => boolean {
  const isClosed = filter.state === undefined ? undefined : filter.state === "closed";
  const isPull = filter.type === undefined ? undefined : filter.type === "pull";
  const flags = new FlagTest()
    .require(issueFlags.closed, isClosed)
    .require(issueFlags.pull, isPull)
    .require(issueFlags.merged, filter.isMerged)
    .require(issueFlags.draft, filter.isDraft);
  const { updatedSince = 0, updatedBefore = Number.POSITIVE_INFINITY, numbers, milestoneIds } = filter;
  const { labelGroups = [], authorId, assigneeId } = filter;
  return ({ id, bytes, at }) => {
    if (!flags.holds(bytes.readUInt8(at + flagsAt))) return false;
    if (numbers !== undefined && !numbers.has(id)) return false;
    const updated = bytes.readUInt32BE(at + issueAt.updated);
    if (updated < updatedSince || updated > updatedBefore) return false;
    if (authorId !== undefined && bytes.readInt32BE(at + issueAt.author) !== authorId) return false;
    if (milestoneIds !== undefined && !milestoneIds.has(bytes.readUInt32BE(at + issueAt.milestone)))
      return false;
    const labelCount = bytes.readUInt8(at + issueAt.labelCount);
    const hasLabel = (label: number) => holdsNumber(bytes, at + issueAt.labels, labelCount, label);
    if (!labelGroups.every((group) => group.some(hasLabel))) return false;
    if (assigneeId !== undefined) {
      const assigneesAt = at + issueAt.labels + 4 * labelCount;
      const assignees = bytes.readUInt8(at + issueAt.assigneeCount);
      if (!holdsNumber(bytes, assigneesAt, assignees, assigneeId)) return false;
    }
    if (filter.branches !== undefined && !hasBranches(filter.branches, bytes, at)) return false;
    if (filter.accepts === undefined) return true;
    return filter.accepts(numbersAt(bytes, at + issueAt.labels, labelCount));
  };
}

function hasBranches(
  { base, head }: NonNullable<IssueFilter["branches"]>,
  bytes: Buffer,
  at: number,
): boolean {
  const place = branchesPlace(bytes, at);
  const half = branchesBytes / 2;
  const isAt = (wanted: Buffer | undefined, start: number) =>
    wanted === undefined || bytes.compare(wanted, 0, half, start, start + half) === 0;
  const isPull = ((bytes[at + flagsAt] ?? 0) & issueFlags.pull) !== 0;
  return isPull && isAt(base, place) && isAt(head, place + half);
}

function ranking({ by, milestoneDeadlines }: IssueSort): Ranking {
  const updated = ({ bytes, at }: Row) => bytes.readUInt32BE(at + issueAt.updated);
  const comments = ({ bytes, at }: Row) => bytes.readUIntBE(at + issueAt.comments, 3);
  const number = (row: Row) => row.id;
  switch (by) {
    case "latest":
      return { key: number, isDescending: true, ties: "newest", isById: true };
    case "oldest":
      return { key: number, isDescending: false, ties: "oldest", isById: true };
    case "recentupdate":
      return { key: updated, isDescending: true, ties: "newest" };
    case "leastupdate":
      return { key: updated, isDescending: false, ties: "oldest" };
    case "mostcomment":
      return { key: comments, isDescending: true, ties: "newest" };
    case "leastcomment":
      return { key: comments, isDescending: false, ties: "newest" };
    case "nearduedate": // issues that are never due come last in both orders
      return {
        key: (row) => dueAt(row, milestoneDeadlines) ?? Number.POSITIVE_INFINITY,
        isDescending: false,
        ties: "newest",
      };
    case "farduedate":
      return { key: (row) => dueAt(row, milestoneDeadlines) ?? 0, isDescending: true, ties: "newest" };
  }
}

/** The earlier of an issue's own deadline and its milestone's; undefined when there is neither. */
function dueAt({ bytes, at }: Row, ofMilestones?: ReadonlyMap<number, number>): number | undefined {
  const own = bytes.readUInt32BE(at + issueAt.deadline);
  const milestones = ofMilestones?.get(bytes.readUInt32BE(at + issueAt.milestone)) ?? 0;
  if (own === 0 || milestones === 0) return own + milestones || undefined;
  return Math.min(own, milestones);
}
