import { findAccessLists } from "../access/access-lists.ts";
import { liveTeams } from "../access/grants.ts";
import { isHiddenFromToken } from "../access/public-only.ts";
import { maySeeOrganization } from "../access/visibility.ts";
import { findVisibleRepositoriesOf, noVisibleRepositories } from "../access/visible-repositories.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import { ownerIndex } from "../owner/owner.index.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { PageRequest } from "../page.ts";
import { keyText } from "../table/write.ts";
import {
  type Membership,
  type MembershipMirror,
  membershipKey,
  membershipMirrorsOf,
} from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import type { Organization } from "./organization.table.ts";

/** The organizations of one page and how many there are in all. */
export interface OrganizationListing {
  readonly items: Organization[];
  readonly total: number;
}

/** Organizations of the instance that the caller may know of, by name. */
export async function listOrganizations(
  forge: Forge,
  actor: Actor | undefined,
  { page, limit }: PageRequest,
): Promise<OrganizationListing> {
  const { teams } = await findVisibleRepositoriesOf(forge, actor);
  const isShown = ({ id, visibility }: Pick<Organization, "id" | "visibility">) =>
    !isHiddenFromToken(actor, { owner: { visibility } }) &&
    maySeeOrganization(actor, { visibility }, teams.has(id));
  const { ids, total } = await listFromIndex(forge, ownerIndex, {
    filter: {
      isOrganization: true,
      accepts: isShown,
    },
    sort: { by: "alphabetically" },
    page,
    limit,
  });
  return { items: (await findAll(forge, ids)).filter(isShown), total }; // hidden since the list was made
}

/**
 * Organizations of a user that the caller may know of, by id: for others than the user and administrators only those
 * where the user shows it.
 */
export async function listOrganizationsOfUser(
  forge: Forge,
  actor: Actor | undefined,
  user: User,
): Promise<Organization[]> {
  const isOwn = actor?.user.id === user.id;
  const showsAll = isOwn || actor?.user.isAdmin === true;
  const [mirrors, visible] = await Promise.all([
    forge.table.queryAll<MembershipMirror>(membershipMirrorsOf(user.id)),
    isOwn ? noVisibleRepositories : findVisibleRepositoriesOf(forge, actor),
  ]);
  const ids = mirrors.map(({ organizationId }) => organizationId);
  const [lists, organizations, memberships] = await Promise.all([
    findAccessLists(forge, ids),
    findAll(forge, ids),
    forge.table.getAll<Membership>(showsAll ? [] : ids.map((id) => membershipKey(id, user.id))),
  ]);
  const isShown = ({ id }: Organization) =>
    showsAll || memberships.get(keyText(membershipKey(id, user.id)))?.isPublic === true;
  const isLive = ({ id }: Organization) => {
    const mirror = mirrors.find(({ organizationId }) => organizationId === id);
    return liveTeams(mirror, lists.get(id)).length > 0;
  };
  return organizations.filter(
    (one) =>
      isLive(one) &&
      isShown(one) &&
      maySeeOrganization(actor, one, isOwn || visible.teams.has(one.id)) &&
      !isHiddenFromToken(actor, { owner: one }),
  );
}

/** Organizations by their ids, in this order; deleted ones are left out. */
async function findAll(forge: Forge, ids: readonly number[]): Promise<Organization[]> {
  const found = await forge.table.getAll<Organization>(ids.map(ownerKey));
  return ids.flatMap((id) => {
    const item = found.get(keyText(ownerKey(id)));
    return item?.kind === "organization" ? [item] : [];
  });
}

/** Organizations by their ids, for showing in lists. */
export async function findOrganizationsById(
  forge: Forge,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Organization>> {
  return new Map((await findAll(forge, [...new Set(ids)])).map((one) => [one.id, one]));
}
