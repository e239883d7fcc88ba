import type { AccessModeName, UnitName } from "../access/modes.ts";
import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A team's mode on each unit; absent units: none. */
export type UnitModes = Readonly<Partial<Record<UnitName, AccessModeName>>>;

/** A team of an organization. Times are whole seconds since the epoch. */
export interface Team extends Item {
  readonly id: number;
  readonly organizationId: number;
  readonly name: string;
  readonly description: string;
  /** `owner`: the team of the organization's owners; each has exactly one. `none`: all of its units have that. */
  readonly mode: AccessModeName;
  readonly units: UnitModes;
  /** It has every repository of the organization, those to come too. */
  readonly includesAll: boolean;
  readonly mayCreateRepositories: boolean;
  /** How many; written by other transactions than those that move `v`. */
  readonly members: number;
  /** How often `members` was changed: the condition for writing a fresh count. Absent: never. */
  readonly memberChanges?: number;
  readonly repositories: number;
  /** The same for `repositories`. */
  readonly repositoryChanges?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next edit. */
  readonly v: number;
  readonly _v: 1;
}

/** Finds a team by its id alone. */
export interface TeamReference extends Item {
  readonly organizationId: number;
  readonly _v: 1;
}

/** Keeps a team's name unique in its organization, whatever its case. */
export interface TeamNameGuard extends Item {
  readonly teamId: number;
  readonly _v: 1;
}

/** The teams of a user, at the organization. Ids of deleted teams count as absent. */
export interface Membership extends Item {
  readonly userId: number;
  /** Ascending. */
  readonly teamIds: readonly number[];
  /** Everybody may know of it. */
  readonly isPublic: boolean;
  readonly v: number;
  readonly _v: 1;
}

/** The same at the user's. */
export interface MembershipMirror extends Item {
  readonly organizationId: number;
  readonly teamIds: readonly number[];
  readonly _v: 1;
}

/** A member in the team's list, and a repository. */
export interface TeamMember extends Item {
  readonly userId: number;
  readonly _v: 1;
}
export interface TeamRepository extends Item {
  readonly repositoryId: number;
  readonly _v: 1;
}

/** The rights of all teams of an organization in one item, packed (`access/team-rights.ts`). */
export interface AccessList extends Item {
  readonly teams: Uint8Array;
  readonly v: number;
  readonly _v: 1;
}

/** The partition of an organization. */
const organizationPartition = (organizationId: number): string => `O#${organizationId}`;
export const accessListKey = (organizationId: number): TableKey => ({
  pk: organizationPartition(organizationId),
  sk: "ACL",
});

export const teamPrefix = "TEAM#";
export const teamKey = (organizationId: number, teamId: number): TableKey => ({
  pk: organizationPartition(organizationId),
  sk: `${teamPrefix}${padded(teamId)}`,
});
/** One member more or less, for the update of the team. */
export const memberChange = (by: 1 | -1) => ({ add: { members: by, memberChanges: 1 } });
/** One repository more or less, for the update of the team. */
export const repositoryChange = (by: 1 | -1) => ({ add: { repositories: by, repositoryChanges: 1 } });
const teamNamePrefix = "TN#";
export const teamNameKey = (organizationId: number, name: string): TableKey => ({
  pk: organizationPartition(organizationId),
  sk: `${teamNamePrefix}${name.toLowerCase()}`,
});
/** The names of an organization's teams. */
export const teamNamesOf = (organizationId: number) => ({
  pk: organizationPartition(organizationId),
  prefix: teamNamePrefix,
});

/** The partition of a team's rows. */
export const teamPartition = (teamId: number): string => `TEAM#${teamId}`;
export const teamReferenceKey = (teamId: number): TableKey => ({ pk: teamPartition(teamId), sk: "#" });
export const teamMemberPrefix = "M#";
export const teamMemberKey = (teamId: number, userId: number): TableKey => ({
  pk: teamPartition(teamId),
  sk: `${teamMemberPrefix}${padded(userId)}`,
});
export const teamRepositoryPrefix = "R#";
export const teamRepositoryKey = (teamId: number, repositoryId: number): TableKey => ({
  pk: teamPartition(teamId),
  sk: `${teamRepositoryPrefix}${padded(repositoryId)}`,
});

const membershipPrefix = "MEM#";
/** An organization's members. */
export const membershipsOf = (organizationId: number) => ({
  pk: organizationPartition(organizationId),
  prefix: membershipPrefix,
});
export const membershipKey = (organizationId: number, userId: number): TableKey => ({
  pk: organizationPartition(organizationId),
  sk: `${membershipPrefix}${padded(userId)}`,
});
/** A user's organizations. */
export const membershipMirrorsOf = (userId: number) => ({ pk: userPartition(userId), prefix: "ORG#" });
export const membershipMirrorKey = (userId: number, organizationId: number): TableKey => ({
  pk: userPartition(userId),
  sk: `ORG#${padded(organizationId)}`,
});
