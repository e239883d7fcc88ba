import type { MailChoice } from "../config/mail.ts";
import type { DeletionMark } from "../owner/deletion.ts";
import {
  emailGuardKey,
  type NameGuard,
  nameGuardKey,
  userPartition,
  type Visibility,
} from "../owner/owner.table.ts";
import type { OwnerEntry } from "../owner/owner-entry.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A user. Times are whole seconds since the epoch; 0 stands for "never". */
export interface User extends Item {
  readonly kind: "user";
  readonly id: number;
  readonly name: string;
  readonly fullName: string;
  readonly email: string;
  /** `scrypt$<log2 cost>$<salt>$<hash>`, or empty for accounts of an external login source. */
  readonly passwordHash: string;
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly isRestricted: boolean;
  readonly isLoginProhibited: boolean;
  readonly mustChangePassword: boolean;
  /** Passwords of this account count with a code alone. */
  readonly hasSecondFactor?: boolean;
  readonly isEmailHidden: boolean;
  /** Shown to signed-in callers alone. */
  readonly arePronounsHidden?: boolean;
  readonly isActivityHidden?: boolean;
  /** The user's choice of how pages look: kept for them, used by none of ours. */
  readonly theme?: string;
  readonly diffViewStyle?: string;
  readonly hasNoUnitHints?: boolean;
  /** What they have mailed of what they hear of; absent: the default of the installation. */
  readonly emailNotifications?: MailChoice;
  readonly visibility: Visibility;
  readonly loginSourceId: number;
  readonly loginName: string;
  readonly location: string;
  readonly website: string;
  readonly pronouns: string;
  readonly description: string;
  readonly language: string;
  /** Repositories the user may own; -1: the instance's limit. */
  readonly repositoryLimit: number;
  readonly mayNotCreateOrganizations?: boolean;
  /** SHA-256 of the picture that was given, in hex; absent: none was. */
  readonly avatar?: string;
  /** Names that the user had and that may still lead to them, in lower case. */
  readonly formerNames?: readonly string[];
  /** Rises with each change of the user's addresses; absent: none yet. */
  readonly emailEdition?: number;
  /**
   * How many follow the user, and how many the user follows; written by other transactions than those that move `v`.
   */
  readonly followers?: number;
  readonly following?: number;
  /** How many repositories the user has starred; likewise. */
  readonly starred?: number;
  /** How often the account was shut out: each ended its sessions. Absent: never. */
  readonly shutOuts?: number;
  /** How many OAuth2 applications they ever registered: two that are registered at once see each other. */
  readonly oauth2Registrations?: number;
  /** Somebody is about to delete the user (`owner/deletion.ts`). */
  readonly deletion?: DeletionMark;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastLoginAt: number;
  /** The last day on which the account was used, since the epoch; written without `v`. Absent: never. */
  readonly activeDay?: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** An address in the list of the whole instance, in which administrators search. */
export interface EmailListing extends Item {
  readonly userId: number;
  readonly _v: 1;
}

/** Keeps an e-mail address unique, whatever its case. */
export interface EmailGuard extends Item {
  readonly userId: number;
  readonly _v: 1;
}

/** One address in a user's list. */
export interface EmailAddress extends Item {
  readonly email: string;
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
  readonly _v: 1;
}

/** One of a user's addresses. */
export const emailAddressKey = (userId: number, email: string): TableKey => ({
  pk: userPartition(userId),
  sk: `${emailPrefix}${email.toLowerCase()}`,
});
export const emailPrefix = "EM#";
/** The list of all addresses, in their order. */
export const emailListPartition = "EMAILS";
export const emailListingKey = (email: string): TableKey => ({
  pk: emailListPartition,
  sk: email.toLowerCase(),
});

/** The three items of one address: its guard, its row among the user's, its row among all. */
export function addressItems(
  userId: number,
  email: string,
  isPrimary: boolean,
): { guard: EmailGuard; address: EmailAddress; listing: EmailListing } {
  return {
    guard: { ...emailGuardKey(email), userId, _v: 1 },
    address: { ...emailAddressKey(userId, email), email, isVerified: true, isPrimary, _v: 1 },
    listing: { ...emailListingKey(email), userId, _v: 1 },
  };
}

/** The guard of a user's name. */
export const userNameGuard = ({ id, name }: User): NameGuard => ({
  ...nameGuardKey(name),
  ownerId: id,
  kind: "user",
  _v: 1,
});

/** The user's entry in the list index of users. */
export function userEntry(user: User): OwnerEntry {
  const { name, fullName, visibility, createdAt, updatedAt, loginSourceId, loginName } = user;
  const { isActive, isAdmin, isRestricted, isLoginProhibited } = user;
  return {
    ...{ name, fullName, visibility, createdAt, updatedAt, loginSourceId, loginName },
    ...{ isActive, isAdmin, isRestricted, isLoginProhibited },
    isOrganization: false,
    isBot: false,
  };
}
