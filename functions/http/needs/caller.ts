import { isHiddenFromToken, type Place, publicOnlyRefusal } from "#core/access/public-only";
import type { Actor } from "#core/actor";
import { forbidden, unauthorized } from "#core/errors";
import { missingScope } from "#core/token/scope";
import { isOpen, type Needs } from "./needs.ts";

/** Throws when the caller's token lacks a scope that the operation needs. */
export function requireScope(needs: Needs, actor: Actor | undefined, isRead: boolean): void {
  const missing = missingScope(actor?.grant, needs.scope ?? [], isRead ? "read" : "write");
  if (missing !== undefined) throw forbidden(`the token lacks the scope ${missing}`);
}

/** Throws when nobody is signed in and the operation needs somebody. */
export function requireLogin(needs: Needs, actor: Actor | undefined): void {
  if (!isOpen(needs) && actor === undefined)
    throw unauthorized("log in to do this: a token or basic authentication is required");
}

/** Throws when the operation needs a site administrator and the caller is none. */
export function requireSiteAdmin(needs: Needs, actor: Actor | undefined): void {
  if (needs.siteAdmin === true && actor?.user.isAdmin !== true) {
    throw forbidden("only site administrators may do this");
  }
}

/** Throws when the caller came by a token or as somebody else, and the operation needs their own password. */
export function requireOwnPassword({ ownPassword }: Needs, actor: Actor | undefined): void {
  if (ownPassword === undefined || actor === undefined) return;
  if (actor.grant !== undefined) throw forbidden("a token may not do this: use name and password");
  if (actor.sudoBy !== undefined) throw forbidden("nobody may do this as somebody else");
}

/** Throws when the caller's token is for public things only, and the target is not public. */
export function requirePublic(actor: Actor | undefined, place: Place): void {
  if (isHiddenFromToken(actor, place)) throw publicOnlyRefusal();
}

/** Whether the path's user is the caller. */
export const isNamed = (actor: Actor | undefined, name: string | number | undefined): boolean =>
  actor?.user.name.toLowerCase() === String(name).toLowerCase();
