import { isKnown, nobody } from "../access/acquaintance.ts";
import { teamKeys, teamsFrom } from "../access/grants.ts";
import { maySeeOrganization } from "../access/visibility.ts";
import type { Actor } from "../actor.ts";
import { type ForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { emailGuardKey, type NameGuard, nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { keyText } from "../table/write.ts";
import type { EmailGuard, User } from "./user.table.ts";

/** The user with this id, or undefined. */
export async function findUserById(forge: Forge, id: number): Promise<User | undefined> {
  const item = await forge.table.get(ownerKey(id));
  return item?.kind === "user" ? (item as User) : undefined;
}

/** Users by id; deleted ones are left out. Read eventually consistent: for showing in lists. */
export async function findUsersById(forge: Forge, ids: readonly number[]): Promise<Map<number, User>> {
  const items = await forge.table.getAll<User>(ids.map(ownerKey), { isConsistent: false });
  return new Map([...items.values()].filter((item) => item.kind === "user").map((user) => [user.id, user]));
}

/** The user of this name, whatever its case, or undefined. */
export async function findUserByName(forge: Forge, name: string): Promise<User | undefined> {
  const guard = await forge.table.get<NameGuard>(nameGuardKey(name));
  return findUserById(forge, guard?.kind === "user" ? guard.ownerId : nobody);
}

/** The user of this name, or undefined when the caller may know of none (D-HIDDEN). */
export async function findVisibleUser(
  forge: Forge,
  actor: Actor | undefined,
  name: string,
): Promise<User | undefined> {
  const user = await findUserByName(forge, name);
  return (await isKnown(forge, actor, user)) ? user : undefined;
}

/** NotFound in the family's words, which its clients compare. */
export const noSuchUser = (name: string): ForgeError =>
  notFound(`user redirect does not exist [name: ${name.toLowerCase()}]`);

/** The user of this name; NotFound when the caller may know of none (D-HIDDEN). */
export async function getUserByName(forge: Forge, actor: Actor | undefined, name: string): Promise<User> {
  const user = await findVisibleUser(forge, actor, name);
  if (user === undefined) throw noSuchUser(name);
  return user;
}

/**
 * The user or organization of a name or a former name, in any case; undefined when the caller may know of none
 * (D-HIDDEN).
 */
export async function findOwner(
  forge: Forge,
  actor: Actor | undefined,
  name: string,
): Promise<Owner | undefined> {
  const guard = await forge.table.get<NameGuard>(nameGuardKey(name));
  return findOwnerById(forge, actor, guard?.ownerId ?? nobody, guard?.kind === "user");
}

/** The same by its id; whoever knows that it is a user's spares the caller's teams. */
export async function findOwnerById(
  forge: Forge,
  actor: Actor | undefined,
  id: number,
  isUser = false,
): Promise<Owner | undefined> {
  const teams = isUser ? [] : teamKeys(actor, id);
  const found = await forge.table.getAll<Owner>([ownerKey(id), ...teams]);
  const owner = found.get(keyText(ownerKey(id)));
  if (owner?.kind === "organization") {
    if (maySeeOrganization(actor, owner, teamsFrom(actor, id, found).length > 0)) return owner;
  }
  // A hidden organization reads as much as a missing one.
  const user = owner?.kind === "user" ? owner : undefined;
  return (await isKnown(forge, actor, user)) ? user : undefined;
}

/** The user who logs in by this name or e-mail address, or undefined. */
export async function findUserByLogin(forge: Forge, login: string): Promise<User | undefined> {
  if (!login.includes("@")) return findUserByName(forge, login);
  const guard = await forge.table.get<EmailGuard>(emailGuardKey(login));
  return findUserById(forge, guard?.userId ?? nobody);
}
