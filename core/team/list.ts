import { findAccessLists } from "../access/access-lists.ts";
import { liveTeams } from "../access/grants.ts";
import type { OrganizationAccess } from "../access/organization-access.ts";
import { isHiddenFromToken } from "../access/public-only.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Organization } from "../organization/organization.table.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { keyText } from "../table/write.ts";
import {
  type AccessList,
  accessListKey,
  type Membership,
  type MembershipMirror,
  membershipKey,
  membershipMirrorsOf,
  membershipsOf,
  type Team,
  type TeamReference,
  teamKey,
  teamPrefix,
  teamReferenceKey,
} from "./team.table.ts";

/** The team with this id, or undefined. */
export async function findTeam(forge: Forge, id: number): Promise<Team | undefined> {
  const reference = await forge.table.get<TeamReference>(teamReferenceKey(id));
  if (reference === undefined) return undefined;
  return forge.table.get<Team>(teamKey(reference.organizationId, id));
}

/** All teams of an organization, the owners' first, the others by name. */
export async function listTeams(forge: Forge, organizationId: number): Promise<Team[]> {
  const { pk } = teamKey(organizationId, 0);
  return inOrder(await forge.table.queryAll<Team>({ pk, prefix: teamPrefix }));
}

/**
 * Teams whose name (or description, when asked) holds a keyword in any case: owners search all teams, others theirs.
 */
export async function searchTeams(
  forge: Forge,
  { organization, teams, isOwner }: OrganizationAccess,
  keyword: string,
  searchesDescriptions: boolean,
): Promise<Team[]> {
  const needle = keyword.toLowerCase();
  const own = new Set(teams.map(({ id }) => id));
  return (await listTeams(forge, organization.id)).filter(
    ({ id, name, description }) =>
      (isOwner || own.has(id)) &&
      (name.toLowerCase().includes(needle) ||
        (searchesDescriptions && description.toLowerCase().includes(needle))),
  );
}

/** A team with its organization. */
export interface TeamOfOrganization {
  readonly team: Team;
  readonly organization: Organization;
}

/**
 * The teams that the caller is in, in all organizations, in the order of `listTeams`; with a public-only token in
 * public ones.
 */
export async function listOwnTeams(forge: Forge, actor: Actor): Promise<TeamOfOrganization[]> {
  const mirrors = await forge.table.queryAll<MembershipMirror>(membershipMirrorsOf(actor.user.id));
  const ids = mirrors.map(({ organizationId }) => organizationId);
  const [lists, owners] = await Promise.all([
    findAccessLists(forge, ids),
    forge.table.getAll<Organization>(ids.map(ownerKey)),
  ]);
  const shown = new Map(
    [...owners.values()]
      .filter((one) => one.kind === "organization" && !isHiddenFromToken(actor, { owner: one }))
      .map((organization) => [organization.id, organization] as const),
  );
  const keys = mirrors
    .filter(({ organizationId }) => shown.has(organizationId))
    .flatMap((mirror) =>
      liveTeams(mirror, lists.get(mirror.organizationId)).map(({ id }) => teamKey(mirror.organizationId, id)),
    );
  return inOrder([...(await forge.table.getAll<Team>(keys)).values()]).flatMap((team) => {
    const organization = shown.get(team.organizationId);
    return organization === undefined ? [] : [{ team, organization }];
  });
}

/** A user in an organization. */
export interface Member {
  readonly userId: number;
  readonly isPublic: boolean;
}

/** Everybody who is in a team of the organization, by id. */
export async function listOrganizationMembers(forge: Forge, organizationId: number): Promise<Member[]> {
  const [memberships, access] = await Promise.all([
    forge.table.queryAll<Membership>(membershipsOf(organizationId)),
    forge.table.get<AccessList>(accessListKey(organizationId)),
  ]);
  return memberships.filter((one) => liveTeams(one, access).length > 0);
}

/** A user's membership in an organization; undefined when they are in none of its teams. */
export async function findTeamMember(
  forge: Forge,
  organizationId: number,
  userId: number,
): Promise<Member | undefined> {
  const keys = [membershipKey(organizationId, userId), accessListKey(organizationId)] as const;
  const found = await forge.table.getAll(keys);
  const membership = found.get(keyText(keys[0])) as Membership | undefined;
  const access = found.get(keyText(keys[1])) as AccessList | undefined;
  return membership !== undefined && liveTeams(membership, access).length > 0 ? membership : undefined;
}

function inOrder(teams: Team[]): Team[] {
  const rank = ({ mode, name }: Team) => `${mode === "owner" ? 0 : 1}${name.toLowerCase()}`;
  return teams.sort(
    (one, other) => one.organizationId - other.organizationId || (rank(one) < rank(other) ? -1 : 1),
  );
}
