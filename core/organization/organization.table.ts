import type { DeletionMark } from "../owner/deletion.ts";
import type { Visibility } from "../owner/owner.table.ts";
import type { OwnerEntry } from "../owner/owner-entry.ts";
import type { Item } from "../table/write.ts";

/**
 * An organization. Times are whole seconds since the epoch. Its key is `ownerKey`: it shares ids and names with users.
 */
export interface Organization extends Item {
  readonly kind: "organization";
  readonly id: number;
  readonly name: string;
  readonly fullName: string;
  readonly email: string;
  readonly description: string;
  readonly website: string;
  readonly location: string;
  readonly visibility: Visibility;
  /** Whether administrators of a repository may say which teams have it. */
  readonly letsAdminsChangeTeams: boolean;
  /** Repositories that it may own; -1: the instance's limit. */
  readonly repositoryLimit: number;
  /** SHA-256 of the picture that was given, in hex; absent: none was. */
  readonly avatar?: string;
  /** Names that it had and that may still lead to it, in lower case. */
  readonly formerNames?: readonly string[];
  /** Somebody is about to delete it (`owner/deletion.ts`). */
  readonly deletion?: DeletionMark;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** The organization's entry in the list index of users. */
export const organizationEntry = (organization: Organization): OwnerEntry => ({
  ...organization,
  isOrganization: true,
  isActive: true,
  isAdmin: false,
  isRestricted: false,
  isLoginProhibited: false,
  isBot: false,
  loginSourceId: 0,
  loginName: "",
});
