import { absent, any, type Condition, equals } from "../table/condition.ts";
import type { Item, TableKey } from "../table/write.ts";

/** Users and organizations share one namespace and one id counter, so they share one family of keys. */
export type OwnerKind = "user" | "organization";

/** Who may see an owner (semantics §3.4). */
export type Visibility = "public" | "limited" | "private";

/** Keeps a name unique, in any case; a redirect leads from a former name to its owner. */
export interface NameGuard extends Item {
  readonly ownerId: number;
  readonly kind: OwnerKind | "redirect";
  /** Of a redirect: when its owner left the name, whole seconds. */
  readonly formerSince?: number;
  readonly _v: 1;
}

/** The item of a user or an organization. */
export const ownerKey = (ownerId: number): TableKey => ({ pk: `O#${ownerId}`, sk: "#" });
/** The guard of a user or organization name. */
export const nameGuardKey = (name: string): TableKey => ({ pk: `NAME#${name.toLowerCase()}`, sk: "#" });
/** Whether a name may be taken: redirects to a former owner give way (semantics §1.3). */
export const ownerNameIsFree: Condition = any(absent, equals({ kind: "redirect" }));
/** The guard of an e-mail address. */
export const emailGuardKey = (email: string): TableKey => ({ pk: `EMAIL#${email.toLowerCase()}`, sk: "#" });
/** The partition of items that belong to one user alone. */
export const userPartition = (userId: number): string => `U#${userId}`;
/** Settings of the whole instance. */
export const administratorsKey: TableKey = { pk: "SYS", sk: "ADMINS" };
