import { findUserTest } from "../access/known-users.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import { type OwnerFilter, type OwnerOrder, ownerIndex } from "../owner/owner.index.ts";
import { emailGuardKey, ownerKey } from "../owner/owner.table.ts";
import type { PageRequest } from "../page.ts";
import { keyText } from "../table/write.ts";
import { findSystemUser } from "./system-users.ts";
import type { EmailGuard, User } from "./user.table.ts";

/** The users of one page and how many there are in all. */
export interface UserListing {
  readonly items: User[];
  readonly total: number;
}

/** Users of the instance, for administrators; absent members filter nothing. */
export const listAllUsers = (
  forge: Forge,
  filter: Pick<OwnerFilter, "loginSourceId" | "loginName">,
  order: OwnerOrder,
  page: PageRequest,
): Promise<UserListing> => listed(forge, filter, order, page);

/** A search; absent members filter nothing. */
export interface UserSearch {
  /** A part of login or full name, or the whole of an e-mail address that the caller may see (D-SEARCH). */
  readonly keyword?: string;
  /** Below 0: the system user of this id, whatever else is asked (B-16). */
  readonly userId?: number;
  readonly order?: OwnerOrder;
}

/** Users that the caller may know of, by name. */
export async function searchUsers(
  forge: Forge,
  actor: Actor | undefined,
  { keyword = "", userId = 0, order = "alphabetically" }: UserSearch,
  page: PageRequest,
): Promise<UserListing> {
  const system = findSystemUser(userId);
  if (system !== undefined) return { items: page.page === 1 ? [system] : [], total: 1 };
  const [accepts, keywordIds] = await Promise.all([
    findUserTest(forge, actor),
    idsWithEmail(forge, actor, keyword),
  ]);
  const ids = userId > 0 ? { ids: new Set([userId]) } : {};
  return listed(forge, { keyword, keywordIds, accepts, ...ids }, order, page);
}

/** Some users that the caller may know of, by name. */
export async function listUsersOf(
  forge: Forge,
  actor: Actor | undefined,
  ids: ReadonlySet<number>,
  page: PageRequest,
): Promise<UserListing> {
  if (ids.size === 0) return { items: [], total: 0 };
  return listed(forge, { ids, accepts: await findUserTest(forge, actor) }, "alphabetically", page);
}

async function listed(
  forge: Forge,
  filter: OwnerFilter,
  by: OwnerOrder,
  page: PageRequest,
): Promise<UserListing> {
  const { ids, total } = await listFromIndex(forge, ownerIndex, {
    filter: { ...filter, isOrganization: false },
    sort: { by },
    ...page,
  });
  const found = await forge.table.getAll<User>(ids.map(ownerKey));
  return { items: ids.flatMap((id) => found.get(keyText(ownerKey(id))) ?? []), total };
}

/** The user with this address, if the caller may see it. */
async function idsWithEmail(
  { table }: Forge,
  actor: Actor | undefined,
  keyword: string,
): Promise<ReadonlySet<number>> {
  if (actor === undefined || !keyword.includes("@")) return new Set();
  const guard = await table.get<EmailGuard>(emailGuardKey(keyword));
  const user = guard === undefined ? undefined : await table.get<User>(ownerKey(guard.userId));
  if (user === undefined) return new Set();
  const isShown = user.email.toLowerCase() === keyword.toLowerCase() && !user.isEmailHidden;
  const seesAll = actor.user.isAdmin || actor.user.id === user.id;
  return new Set(isShown || seesAll ? [user.id] : []);
}
