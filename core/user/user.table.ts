import type { UserEntry } from "../directory/user-entry.ts";
import {
  emailGuardKey,
  type NameGuard,
  nameGuardKey,
  ownerKey,
  userPartition,
  type Visibility,
} from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table.ts";

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
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastLoginAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
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
  sk: `EM#${email.toLowerCase()}`,
});

/** The guards and rows that a new user is made of, beside the user item itself. */
export function guardsOf(user: User): { name: NameGuard; email: EmailGuard; address: EmailAddress } {
  return {
    name: { ...nameGuardKey(user.name), ownerId: user.id, kind: "user", _v: 1 },
    email: { ...emailGuardKey(user.email), userId: user.id, _v: 1 },
    address: {
      ...emailAddressKey(user.id, user.email),
      email: user.email,
      isVerified: true,
      isPrimary: true,
      _v: 1,
    },
  };
}

/** What the directory of users knows of a user. */
export function userEntry(user: User): UserEntry {
  const { name, fullName, visibility, createdAt, updatedAt, loginSourceId, loginName } = user;
  const { isActive, isAdmin, isRestricted, isLoginProhibited } = user;
  return {
    ...{ name, fullName, visibility, createdAt, updatedAt, loginSourceId, loginName },
    ...{ isActive, isAdmin, isRestricted, isLoginProhibited },
    isOrganization: false,
    isBot: false,
  };
}

export { ownerKey as userKey };
