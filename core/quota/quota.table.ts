import { padded } from "../ids.ts";
import { ownerPartition, repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { QuotaLimit } from "./evaluate.ts";
import type { UsageName } from "./subject.ts";

/** A limit with a name, which any number of groups may use. */
export interface QuotaRule extends QuotaLimit {
  readonly name: string;
}

/** A set of rules with a name, which owners are put into. */
export interface QuotaGroup {
  /** Assignments name it: a later group of the same name is another one. */
  readonly id: number;
  readonly name: string;
  readonly ruleNames: readonly string[];
}

/** All rules and groups of the instance, in one item: they change rarely, and every judgment reads all of a group. */
export interface QuotaDefinitions extends Item {
  readonly rules: readonly QuotaRule[];
  readonly groups: readonly QuotaGroup[];
  readonly lastGroupId: number;
  readonly v: number;
  readonly _v: 1;
}
export const quotaDefinitionsKey: TableKey = { pk: "QUOTA", sk: "#" };

/** The groups that an owner was put into; absent: none. Ids of deleted groups count for nothing. */
export interface QuotaAssignment extends Item {
  readonly ownerId: number;
  readonly groupIds: readonly number[];
  readonly v: number;
  readonly _v: 1;
}
/** What the quota keeps of an owner: their groups and their totals. */
export const quotaPrefix = "QUOTA#";
export const quotaAssignmentKey = (ownerId: number): TableKey => ({
  pk: ownerPartition(ownerId),
  sk: `${quotaPrefix}GROUPS`,
});

/** An owner in a group: the other end of an assignment. */
export interface QuotaMember extends Item {
  readonly ownerId: number;
  readonly _v: 1;
}
export const quotaMembersPartition = (groupId: number): string => `QUOTAGROUP#${groupId}`;
export const quotaMemberKey = (groupId: number, ownerId: number): TableKey => ({
  pk: quotaMembersPartition(groupId),
  sk: padded(ownerId),
});

/**
 * One of the parts of an owner's totals, in bytes; absent ones are 0. What a repository holds is in the part that its id
 * chooses, so that writers to different repositories seldom meet. `changes` moves with each change: the condition for
 * writing a fresh count.
 */
export type OwnerUsage = Item & Readonly<Partial<Record<UsageName | "changes", number>>>;
/** How many there are: a hundred writers at once meet six to a part. */
const usageParts = 16;
export const usagePrefix = `${quotaPrefix}USED#`;
/** The part that counts what a repository holds, or a package of no repository. */
export const usageKey = (ownerId: number, holderId: number): TableKey => ({
  pk: ownerPartition(ownerId),
  sk: `${usagePrefix}${String(holderId % usageParts).padStart(2, "0")}`,
});

/** The lists of what counts, the largest first. */
const sizedLists = ["attachments", "artifacts"] as const;
export type SizedList = (typeof sizedLists)[number];

/** A thing in the list of its repository's things by size. */
export interface SizedThing extends Item {
  readonly id: number;
  readonly sizeBytes: number;
  readonly _v: 1;
}
export const sizedThingsPartition = (repositoryId: number): string =>
  `${repositoryPartition(repositoryId)}#SIZES`;
/** Those of a list, the largest first. */
export const sizedThingsOf = (repositoryId: number, list: SizedList) => ({
  pk: sizedThingsPartition(repositoryId),
  prefix: `${list}#`,
});
/** For sort keys: the larger comes first. */
export const largestFirst = (sizeBytes: number): string =>
  String(Number.MAX_SAFE_INTEGER - sizeBytes).padStart(16, "0");
export const sizedThingKey = (
  repositoryId: number,
  list: SizedList,
  { id, sizeBytes }: Pick<SizedThing, "id" | "sizeBytes">,
): TableKey => ({
  pk: sizedThingsPartition(repositoryId),
  sk: `${sizedThingsOf(repositoryId, list).prefix}${largestFirst(sizeBytes)}#${padded(id)}`,
});
