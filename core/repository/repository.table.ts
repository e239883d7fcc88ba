import type { UnitName } from "../access/modes.ts";
import { padded } from "../ids.ts";
import type { OwnerKind } from "../owner/owner.table.ts";
import { absent, any, type Condition, equals } from "../table/condition.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import type { RepositoryActivity, RepositoryEntry } from "./listing/repository-entry.ts";

/** The two object formats of git (behaviour 9). */
export type ObjectFormatName = "sha1" | "sha256";

/** How pull requests may be merged, and what happens around a merge. */
export interface MergeSettings {
  readonly ignoreWhitespaceConflicts: boolean;
  readonly allowMergeCommits: boolean;
  readonly allowRebase: boolean;
  readonly allowRebaseExplicit: boolean;
  readonly allowSquashMerge: boolean;
  readonly allowFastForwardOnlyMerge: boolean;
  readonly allowRebaseUpdate: boolean;
  readonly defaultDeleteBranchAfterMerge: boolean;
  readonly defaultMergeStyle: string;
  readonly defaultUpdateStyle: string;
  readonly defaultAllowMaintainerEdit: boolean;
  /** A request may be marked as merged by hand, and is marked when its commits are found in the base. */
  readonly allowManualMerge?: boolean;
  readonly autodetectManualMerge?: boolean;
}

/** How the built-in issue tracker behaves. */
export interface TrackerSettings {
  readonly hasTimeTracker: boolean;
  readonly isTimeForContributorsOnly: boolean;
  readonly hasDependencies: boolean;
}

/** A tracker elsewhere: its address, the form of links to its issues, and how texts name issues. */
export interface ExternalTracker {
  readonly url: string;
  readonly format: string;
  readonly style: string;
  readonly pattern: string;
}

/** The settings of a repository that follows another one elsewhere (a pull mirror). */
export interface MirrorSettings {
  /** Whole seconds between two syncs; 0: only when asked. */
  readonly intervalSeconds: number;
  /** Branches and tags that are gone there are removed here. */
  readonly prunes: boolean;
  /** Whole seconds; 0 before the first sync, and when none is planned. */
  readonly syncedAt: number;
  readonly nextSyncAt: number;
}

/** A transfer that waits until its recipient accepts or rejects it. */
export interface PendingTransfer {
  readonly doerId: number;
  readonly recipientId: number;
  readonly recipientKind: OwnerKind;
  /** Teams of the recipient that are to be given the repository. */
  readonly teamIds: readonly number[];
  /** The recipient became a reader for it, and stops being one when it is rejected. */
  readonly isGuest: boolean;
  /** Whole seconds. */
  readonly startedAt: number;
}

/** A former name of a repository, and its owner then: it leads to the repository until somebody takes it. */
export interface FormerName {
  readonly ownerId: number;
  readonly name: string;
}

/** A repository (`META`). Times are whole seconds since the epoch; 0 stands for "never". */
export interface Repository extends Item {
  readonly id: number;
  readonly ownerId: number;
  readonly name: string;
  readonly description: string;
  readonly website: string;
  readonly isPrivate: boolean;
  readonly isFork: boolean;
  readonly isMirror: boolean;
  /** It is being brought here from elsewhere, or that failed: it takes no pushes and serves no clones. */
  readonly isMigrating?: true;
  /** Where it was brought from, without credentials. */
  readonly originalUrl?: string;
  readonly isTemplate: boolean;
  readonly isArchived: boolean;
  readonly archivedAt: number;
  /** No branch has been pushed yet. */
  readonly isEmpty: boolean;
  readonly state: "live" | "deleting";
  readonly units: readonly UnitName[];
  /** Teams of its organization that were given the repository, beside those that have all; absent: none. */
  readonly teamIds?: readonly number[];
  readonly topics: readonly string[];
  readonly defaultBranch: string;
  readonly objectFormat: ObjectFormatName;
  readonly merge: MergeSettings;
  readonly tracker: TrackerSettings;
  /** Commits on any branch close and reopen issues; absent: only those on the branch of each issue. */
  readonly closesIssuesInAnyBranch?: true;
  readonly externalTracker?: ExternalTracker;
  /** The address of a wiki elsewhere. */
  readonly externalWikiUrl?: string;
  /** The id of the wiki's git data, once there is any: one of the ids of repositories, used for nothing else. */
  readonly wikiId?: number;
  /** The branch with the wiki's pages: HEAD of its git data names it; absent: the installation's usual one. */
  readonly wikiBranch?: string;
  /** Everybody who is signed in and may read the wiki may write it. */
  readonly isWikiOpen?: boolean;
  /** The picture, by its SHA-256 in hex; empty or absent: none. */
  readonly avatar?: string;
  /** The parent of a fork, while that exists. */
  readonly parentId?: number;
  /** Of a pull mirror. */
  readonly mirror?: MirrorSettings;
  /** It has, or had, copies elsewhere that are kept up to date. */
  readonly hasPushMirrors?: true;
  readonly transfer?: PendingTransfer;
  /** Without the one that it has; absent: none. */
  readonly formerNames?: readonly FormerName[];
  /** Into how many items the counts are split. */
  readonly shards: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** Keeps a repository's name unique under its owner, in any case; a former name leads to the repository. */
export interface RepositoryNameGuard extends Item {
  readonly repositoryId: number;
  readonly moved?: true;
  /** Of a former name: the repository's owner when it left that name; by now it may be another. */
  readonly ownerId?: number;
  readonly _v: 1;
}
/** Whether a name may be taken: former names give way (semantics §1.3). */
export const isNameFree = (guard: RepositoryNameGuard | undefined): boolean =>
  guard === undefined || guard.moved === true;
/** The same as a condition of the write that takes it. */
export const repositoryNameIsFree: Condition = any(absent, equals({ moved: true }));

/** The counts of a repository. */
const countNames = [
  "openIssues",
  "closedIssues",
  "openPulls",
  "closedPulls",
  "stars",
  "watchers",
  "forks",
  "releases",
  "issueComments",
  "pullComments",
] as const;
export type CountName = (typeof countNames)[number];

/**
 * Counts of a repository, one of `shards` parts; absent members count 0. Part 0 says how many parts there are before
 * another one is written. `changes` moves with each change of a part: the condition for writing a fresh count.
 */
export type RepositoryCounts = Item & Readonly<Partial<Record<CountName | "shards" | "changes", number>>>;

/** The compact item of a repository in its owner's partition: lists and usage of an owner are sums over cards. */
export interface RepositoryCard extends Item {
  readonly repositoryId: number;
  readonly name: string;
  readonly isPrivate: boolean;
  /** Bytes of the packs. */
  readonly gitBytes: number;
  /** Attachments on issues and comments, and their bytes; absent: none. */
  readonly issueAttachments?: number;
  readonly issueAttachmentBytes?: number;
  /** The assets of releases, and their bytes; absent: none. */
  readonly releaseAttachments?: number;
  readonly releaseAttachmentBytes?: number;
  /** Objects of Git LFS, without those of other repositories, which may share the files; absent: none. */
  readonly lfsBytes?: number;
  /** Artifacts of Actions, and their bytes as they are stored; absent: none. */
  readonly artifacts?: number;
  readonly artifactBytes?: number;
  /** The files of the packages that are linked to it; absent: none. */
  readonly packageBytes?: number;
  /** When refs last moved, whole seconds; 0 before the first push. */
  readonly pushedAt: number;
  /** The main language of the default branch; absent or empty when it is unknown. */
  readonly language?: string;
  readonly v: number;
  readonly _v: 1;
}

export const repositoryPartition = (repositoryId: number): string => `R#${repositoryId}`;
export const repositoryKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "META",
});
/** The partition of an owner: their own item, guards of names, cards. */
export const ownerPartition = (ownerId: number): string => `O#${ownerId}`;
const repositoryNamePrefix = "RN#";
export const repositoryNameKey = (ownerId: number, name: string): TableKey => ({
  pk: ownerPartition(ownerId),
  sk: `${repositoryNamePrefix}${name.toLowerCase()}`,
});
export const countsPrefix = "COUNT#";
export const countsKey = (repositoryId: number, shard: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${countsPrefix}${shard}`,
});
/** The items that hold a repository's counts, from the part `first` on. */
export const countKeys = ({ id, shards }: Pick<Repository, "id" | "shards">, first = 0): TableKey[] =>
  Array.from({ length: Math.max(0, shards - first) }, (_, at) => countsKey(id, first + at));
export const cardPrefix = "REPO#";
export const cardKey = (ownerId: number, repositoryId: number): TableKey => ({
  pk: ownerPartition(ownerId),
  sk: `${cardPrefix}${padded(repositoryId)}`,
});

/** Counts, size, time of the last push, and the main language. */
export interface RepositoryNumbers {
  readonly counts: Readonly<Record<CountName, number>>;
  /** Bytes of the packs, and of the objects of Git LFS. */
  readonly gitBytes: number;
  readonly lfsBytes: number;
  /** Whole seconds; 0 before the first push. */
  readonly pushedAt: number;
  readonly language: string;
}

/** The number of parts of the counts: the repository may have been read before a split, its part 0 was not. */
export function shardsOf({ id, shards }: Repository, found: ReadonlyMap<string, Item>): number {
  const first = found.get(keyText(countsKey(id, 0))) as RepositoryCounts | undefined;
  return Math.max(shards, first?.shards ?? 1);
}

/** The numbers of a repository, from its card and its counts. */
export function numbersOf(repository: Repository, found: ReadonlyMap<string, Item>): RepositoryNumbers {
  const card = found.get(keyText(cardKey(repository.ownerId, repository.id))) as RepositoryCard | undefined;
  const shards = shardsOf(repository, found);
  const keys = countKeys({ id: repository.id, shards });
  const parts = keys.flatMap((key) => (found.get(keyText(key)) as RepositoryCounts) ?? []);
  // Parts are not read in one instant: of a change in between, only the decreasing half may show.
  const sum = (name: CountName) =>
    Math.max(
      0,
      parts.reduce((total, part) => total + (part[name] ?? 0), 0),
    );
  const counts = Object.fromEntries(countNames.map((name) => [name, sum(name)])) as Record<CountName, number>;
  const { gitBytes = 0, lfsBytes = 0, pushedAt = 0, language = "" } = card ?? {};
  return { counts, gitBytes, lfsBytes, pushedAt, language };
}

/** The repository's entry in the list index. */
export const repositoryEntry = (repository: Repository): RepositoryEntry => ({
  ...repository,
  teamIds: repository.teamIds ?? [],
});

/** The repository's activity in the list index, from its card and counts. */
export function repositoryActivity(
  repository: Repository,
  found: ReadonlyMap<string, Item>,
): RepositoryActivity {
  const { counts, gitBytes, lfsBytes, pushedAt } = numbersOf(repository, found);
  const updatedAt = Math.max(repository.updatedAt, pushedAt);
  return { updatedAt, gitBytes, lfsBytes, stars: counts.stars, forks: counts.forks };
}

/** A fork in the list of its parent's forks. */
export interface ForkRow extends Item {
  readonly forkId: number;
  readonly _v: 1;
}
/** The forks of a repository that one owner has: they may make one, and others come by transfers. Absent: none. */
export interface ForkGuard extends Item {
  /** The one of the lowest id. */
  readonly forkId: number;
  /** The others, by id; absent: none. */
  readonly moreForkIds?: readonly number[];
  readonly _v: 1;
}
/** The forks that a guard names, by id. */
export const forkIdsOf = (guard: ForkGuard | undefined): readonly number[] =>
  guard === undefined ? [] : [guard.forkId, ...(guard.moreForkIds ?? [])];
export const forkPrefix = "FORK#";
/** The forks of a repository, by id. */
export const forksOf = (repositoryId: number) => ({
  pk: repositoryPartition(repositoryId),
  prefix: forkPrefix,
});
export const forkKey = (parentId: number, forkId: number): TableKey => ({
  pk: repositoryPartition(parentId),
  sk: `${forkPrefix}${padded(forkId)}`,
});
export const forkGuardPrefix = "FO#";
export const forkGuardKey = (parentId: number, ownerId: number): TableKey => ({
  pk: repositoryPartition(parentId),
  sk: `${forkGuardPrefix}${padded(ownerId)}`,
});
