import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { lastId } from "../ids.ts";
import type { EntryKind, EntryLayout, Ranking } from "../list-index/entry-kind.ts";
import { type ActivityItem, activityKey, repositoryIndexPartition } from "../list-index/list-index.table.ts";
import type { ListIndex } from "../list-index/list-index.ts";
import type { KeyOf } from "../list-index/page.ts";
import type { SourceRow } from "../list-index/view.ts";
import { absent, any, below } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";
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
  repositoryFormat,
  repositoryTextLength,
} from "./listing/repository-entry.ts";
import { matcher, type RepositoryFilter, sureTest } from "./listing/repository-filter.ts";
import {
  cardKey,
  countKeys,
  type Repository,
  repositoryActivity,
  repositoryEntry,
  repositoryKey,
} from "./repository.table.ts";

/** The repository's owner: pages return it beside each id. */
export const ownerOf: KeyOf = ({ bytes, at }) => bytes.readUInt32BE(at + repositoryAt.owner);

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

/** An order, ascending by default; equal ones by id, oldest first. */
export interface RepositorySort {
  readonly by: RepositoryOrder;
  readonly isDescending?: boolean;
}

/** The list index of all repositories of the instance, by id. */
export const repositoryIndex: ListIndex<RepositoryEntry, RepositoryFilter, RepositorySort> = {
  name: "repositories-0",
  partition: repositoryIndexPartition,
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
 * The latest activity of a repository, for the worker alone: a false result of the write means that newer activity is
 * there already. `version` is the time of the reading in milliseconds.
 */
export function activityWrite(id: number, activity: RepositoryActivity, version: number): Write {
  const item: ActivityItem = {
    ...activityKey(repositoryIndexPartition, id),
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
    ...defined({ ids }),
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
