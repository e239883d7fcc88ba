import type { Actor } from "../actor.ts";
import type { User } from "../user/user.table.ts";

/** Whether the caller may know of this user (semantics §3.4). Following and shared organizations come with their nouns. */
export function maySeeUser(actor: Actor | undefined, user: User): boolean {
  if (user.visibility === "public") return true;
  if (actor === undefined) return false;
  if (actor.user.isAdmin || actor.user.id === user.id) return true;
  return user.visibility === "limited" && !actor.user.isRestricted;
}
