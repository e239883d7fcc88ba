import type { Forge } from "../forge.ts";
import { lastId } from "../ids.ts";
import {
  cardKey,
  countKeys,
  type Repository,
  repositoryActivity,
  repositoryEntry,
  repositoryKey,
} from "../repository/repository.table.ts";
import { absent, any, below, put, type Write } from "../table.ts";
import { type ActivityItem, activityKey, repositoryDirectoryPartition } from "./directory.table.ts";
import type { Directory } from "./directory.ts";
import {
  type EntryKind,
  type EntryLayout,
  flagsAt,
  newRow,
  type Ranking,
  type Row,
  type SureTest,
} from "./entry-kind.ts";
import { FlagTest, holdsNumber, occursIn, searchText } from "./packing.ts";
import type { KeyOf } from "./page.ts";
import {
  decodeRepository,
  encodeActivity,
  encodeRepository,
  encodeRepositoryText,
  noRepositoryText,
  type RepositoryActivity,
  type RepositoryEntry,
  repositoryActivityBlock,
  repositoryAt,
  repositoryFlags,
  repositoryFormat,
  repositoryTextLength,
} from "./repository-entry.ts";
import type { SourceRow } from "./view.ts";

/** A repository as a caller's predicate sees it: read from the entry's bytes when asked. Don't keep it. */
export interface RepositoryView {
  readonly id: number;
  readonly ownerId: number;
  readonly isPrivate: boolean;
  readonly isFork: boolean;
  readonly isMirror: boolean;
  hasTeam(teamId: number): boolean;
  /** In lower case; none unless the filter `readsTopics`. */
  topics(): string[];
}

/** Whose a repository is: what pages tell of each beside its id. */
export const ownerOf: KeyOf = ({ bytes, at }) => bytes.readUInt32BE(at + repositoryAt.owner);

/** Which repositories; what is absent filters nothing. All that is given must hold. */
export interface RepositoryFilter {
  /** A part of the name, in any case; of the description or of a topic too, where `searches` says so. Commas stand between alternatives. */
  readonly keyword?: string;
  readonly searches?: {
    readonly descriptions?: boolean;
    /** Topics that are the keyword, or hold it. */
    readonly topics?: "whole" | "part";
    readonly names?: boolean;
  };
  readonly ownerIds?: ReadonlySet<number>;
  /** Only these: what another list found (stars, collaborations). */
  readonly ids?: ReadonlySet<number>;
  readonly teamId?: number;
  readonly isPrivate?: boolean;
  readonly isFork?: boolean;
  readonly isMirror?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  readonly isEmpty?: boolean;
  /** Loads topics for `accepts`. */
  readonly readsTopics?: boolean;
  /** Whether the caller may see it, and anything else that only the caller knows. */
  readonly accepts?: (repository: RepositoryView) => boolean;
  /** What `accepts` surely accepts: kept, where nothing else is filtered. Who narrows `accepts` takes it away. */
  readonly surely?: SureTest<RepositoryView> | undefined;
}

/** The orders of the API family. `size` is git and LFS together. */
export type RepositoryOrder =
  | "alpha"
  | "created"
  | "updated"
  | "size"
  | "git_size"
  | "lfs_size"
  | "id"
  | "stars"
  | "forks";

/** An order, ascending unless said otherwise; equal ones by id, oldest first. */
export interface RepositorySort {
  readonly by: RepositoryOrder;
  readonly isDescending?: boolean;
}

/** The directory of all repositories of the instance, by id. */
export const repositoryDirectory: Directory<RepositoryEntry, RepositoryFilter, RepositorySort> = {
  name: "repositories-0",
  partition: repositoryDirectoryPartition,
  get layout() {
    return layout;
  },
  get kind() {
    return repositoryKind;
  },
  source: {
    lastId: ({ table }) => lastId(table, "repository"),
    itemKey: repositoryKey,
    read: readSource,
  },
};

/**
 * What happened in a repository, for the worker to write alone: false outcomes of the write mean that newer activity
 * stands there already. `version` is the time of the reading in milliseconds.
 */
export function activityWrite(id: number, activity: RepositoryActivity, version: number): Write {
  const item: ActivityItem = {
    ...activityKey(repositoryDirectoryPartition, id),
    e: encodeActivity(activity, version),
    v: version,
    _v: 1,
  };
  return put(item, any(absent, below({ v: version })));
}

const layout: EntryLayout = {
  span: 512,
  format: repositoryFormat,
  length: (bytes, at) =>
    repositoryAt.name +
    (bytes[at + repositoryAt.nameLength] ?? 0) +
    4 * bytes.readUInt16BE(at + repositoryAt.teamCount),
  versionAt: repositoryAt.version,
  activity: repositoryActivityBlock,
  text: { length: repositoryTextLength, none: noRepositoryText },
};

const repositoryKind: EntryKind<RepositoryEntry, RepositoryFilter, RepositorySort> = {
  layout,
  encode: encodeRepository,
  decode: decodeRepository,
  encodeText: encodeRepositoryText,
  matcher,
  sureTest,
  ranking,
  keptOrder: ({ by, isDescending = false }) => (by === "id" ? undefined : `${by} ${isDescending}`),
  needs: ({ ids, keyword = "", searches, readsTopics = false }) => ({
    ...(ids === undefined ? {} : { ids }),
    texts:
      readsTopics || (keyword !== "" && (searches?.descriptions === true || searches?.topics !== undefined)),
  }),
};

async function readSource({ table, clock }: Forge, first: number, end: number): Promise<SourceRow[]> {
  const keys = Array.from({ length: end - first }, (_, at) => repositoryKey(first + at));
  const readAt = clock.now();
  const live = [...(await table.getAll<Repository>(keys)).values()].filter((one) => one.state === "live");
  const numbers = await table.getAll(
    live.flatMap((one) => [cardKey(one.ownerId, one.id), ...countKeys(one)]),
  );
  return live
    .map((repository) => {
      const entry = repositoryEntry(repository);
      const bytes = encodeRepository(entry, repository.v);
      encodeActivity(repositoryActivity(repository, numbers), readAt).copy(bytes, repositoryAt.activity);
      return { id: repository.id, bytes, text: encodeRepositoryText(entry) };
    })
    .sort((one, other) => one.id - other.id);
}

function sureTest({ surely, accepts, ...others }: RepositoryFilter): SureTest<Row> | undefined {
  if (surely === undefined || accepts === undefined || Object.keys(others).length > 0) return undefined;
  const view = new EntryView();
  return {
    ...surely,
    holds(row) {
      view.row = row;
      return surely.holds(view);
    },
  };
}

function matcher(filter: RepositoryFilter): (row: Row) => boolean {
  const flags = new FlagTest()
    .require(repositoryFlags.private, filter.isPrivate)
    .require(repositoryFlags.fork, filter.isFork)
    .require(repositoryFlags.mirror, filter.isMirror)
    .require(repositoryFlags.template, filter.isTemplate)
    .require(repositoryFlags.archived, filter.isArchived)
    .require(repositoryFlags.empty, filter.isEmpty);
  const { ids, ownerIds, teamId, accepts } = filter;
  const hasKeyword = keywordTest(filter);
  const view = new EntryView();
  return (row) => {
    const { id, bytes, at } = row;
    if (!flags.holds(bytes.readUInt8(at + flagsAt))) return false;
    if (ids !== undefined && !ids.has(id)) return false;
    if (ownerIds !== undefined && !ownerIds.has(bytes.readUInt32BE(at + repositoryAt.owner))) return false;
    view.row = row;
    if (teamId !== undefined && !view.hasTeam(teamId)) return false;
    return hasKeyword(row) && (accepts === undefined || accepts(view));
  };
}

/** More alternatives than anybody asks for count for nothing: each is looked for in every entry. */
const mostAlternatives = 10;

function keywordTest({ keyword = "", searches = {} }: RepositoryFilter): (row: Row) => boolean {
  if (keyword === "") return () => true;
  const words = keyword.split(",").filter((word) => word !== "");
  const tests = words.slice(0, mostAlternatives).map((word) => wordTest(word, searches));
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (row) => tests.some((test) => test(row));
}

function wordTest(
  word: string,
  { names = true, descriptions = false, topics }: NonNullable<RepositoryFilter["searches"]>,
): (row: Row) => boolean {
  const needle = searchText(word, Number.POSITIVE_INFINITY);
  return ({ bytes, at, text, textAt }) => {
    const nameAt = at + repositoryAt.name;
    const nameEnd = nameAt + bytes.readUInt8(at + repositoryAt.nameLength);
    if (names && occursIn(bytes, nameAt, nameEnd, needle)) return true;
    if (text === undefined || !(topics !== undefined || descriptions)) return false;
    let place = textAt + 2;
    for (let left = text.readUInt8(textAt + 1); left > 0; left -= 1) {
      const length = text.readUInt8(place);
      const start = place + 1;
      const mayHold = topics === "part" || (topics === "whole" && length === needle.length);
      if (mayHold && occursIn(text, start, start + length, needle)) return true;
      place = start + length;
    }
    const end = place + 2 + text.readUInt16BE(place);
    return descriptions && occursIn(text, place + 2, end, needle);
  };
}

class EntryView implements RepositoryView {
  row: Row = newRow();

  get id(): number {
    return this.row.id;
  }
  get ownerId(): number {
    return this.row.bytes.readUInt32BE(this.row.at + repositoryAt.owner);
  }
  get isPrivate(): boolean {
    return this.#has(repositoryFlags.private);
  }
  get isFork(): boolean {
    return this.#has(repositoryFlags.fork);
  }
  get isMirror(): boolean {
    return this.#has(repositoryFlags.mirror);
  }
  hasTeam(teamId: number): boolean {
    const { bytes, at } = this.row;
    const teamsAt = at + repositoryAt.name + bytes.readUInt8(at + repositoryAt.nameLength);
    return holdsNumber(bytes, teamsAt, bytes.readUInt16BE(at + repositoryAt.teamCount), teamId);
  }
  topics(): string[] {
    const { text, textAt } = this.row;
    if (text === undefined) return [];
    let end = textAt + 2;
    return Array.from({ length: text.readUInt8(textAt + 1) }, () => {
      const start = end + 1;
      end = start + text.readUInt8(end);
      return text.toString("utf8", start, end);
    });
  }
  #has(flag: number): boolean {
    return (this.row.bytes.readUInt8(this.row.at + flagsAt) & flag) !== 0;
  }
}

const keys: Readonly<Record<RepositoryOrder, Ranking["key"]>> = {
  id: (row) => row.id,
  alpha: ({ bytes, at }) => {
    const nameAt = at + repositoryAt.name;
    return bytes.toString("utf8", nameAt, nameAt + bytes.readUInt8(at + repositoryAt.nameLength));
  },
  created: ({ bytes, at }) => bytes.readUInt32BE(at + repositoryAt.created),
  updated: ({ bytes, at }) =>
    Math.max(
      bytes.readUInt32BE(at + repositoryAt.updated),
      bytes.readUInt32BE(at + repositoryAt.activityUpdated),
    ),
  size: ({ bytes, at }) =>
    bytes.readUIntBE(at + repositoryAt.gitBytes, 6) + bytes.readUIntBE(at + repositoryAt.lfsBytes, 6),
  git_size: ({ bytes, at }) => bytes.readUIntBE(at + repositoryAt.gitBytes, 6),
  lfs_size: ({ bytes, at }) => bytes.readUIntBE(at + repositoryAt.lfsBytes, 6),
  stars: ({ bytes, at }) => bytes.readUInt32BE(at + repositoryAt.stars),
  forks: ({ bytes, at }) => bytes.readUInt32BE(at + repositoryAt.forks),
};

function ranking({ by, isDescending = false }: RepositorySort): Ranking {
  return { key: keys[by], isDescending, ties: "oldest", isById: by === "id" };
}
