import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { OwnerChange } from "../owner/change.ts";
import { administratorsKey } from "../owner/owner.table.ts";
import { update, type Write } from "../table/write.ts";
import type { User } from "./user.table.ts";

/** Whether the instance has an administrator: the first start makes one when it has none. */
export async function hasAdministrator(forge: Forge): Promise<boolean> {
  return (await forge.table.get(administratorsKey)) !== undefined;
}

/** Belongs into the transaction that makes a user an administrator. */
export const joinsAdministrators = (id: number): Write =>
  update(administratorsKey, { add: { ids: new Set([id]) } });

/**
 * Belongs in the transaction that ends a user's time as an administrator. Its condition keeps the last one (B-06), also
 * when two of them remove each other at the same time.
 */
export const leavesAdministrators = (id: number): Write =>
  update(administratorsKey, { take: { ids: new Set([id]) } }, { sizeAbove: { ids: 1 } });

/** 422: the condition of `leavesAdministrators` failed. */
export const lastAdministrator = ({ name }: User) =>
  unprocessable(`${name} is the last administrator and stays one: make somebody else an administrator first`);

/** The changes when a user becomes an administrator, or stops being one. */
export function administrationChange(user: User, isAdmin: boolean): OwnerChange<User> {
  if (isAdmin === user.isAdmin) return { set: {} };
  return isAdmin
    ? { set: { isAdmin }, writes: [joinsAdministrators(user.id)] }
    : { set: { isAdmin }, writes: [leavesAdministrators(user.id)], refusals: [lastAdministrator(user)] };
}
