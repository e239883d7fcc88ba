import { padded } from "../ids.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { QuotaLimit } from "./evaluate.ts";

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
export const quotaAssignmentKey = (ownerId: number): TableKey => ({
  pk: `O#${ownerId}`,
  sk: "QUOTA#GROUPS",
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
