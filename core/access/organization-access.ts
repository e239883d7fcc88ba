import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Organization } from "../organization/organization.table.ts";
import { type NameGuard, nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Item, keyText } from "../table/write.ts";
import {
  type AccessList,
  accessListKey,
  type Membership,
  membershipKey,
  type Team,
  type TeamReference,
  teamKey,
  teamReferenceKey,
} from "../team/team.table.ts";
import { nobody } from "./acquaintance.ts";
import { liveTeams, teamKeys, teamsFrom } from "./grants.ts";
import { accessMode } from "./modes.ts";
import type { TeamRights } from "./team-rights.ts";
import { maySeeOrganization } from "./visibility.ts";

/** An organization, and what the caller may do in it. All of it was read strongly for this request. */
export interface OrganizationAccess {
  readonly organization: Organization;
  /** The caller's teams. */
  readonly teams: readonly TeamRights[];
  /** Whether the caller is in a team. */
  readonly isMember: boolean;
  /** Whether the caller is an owner, or a site administrator, who may do what owners may. */
  readonly isOwner: boolean;
  /** Whether the caller may create repositories in it. */
  readonly mayCreateRepositories: boolean;
}

/** A team, and what the caller may do in its organization. */
export interface TeamAccess extends OrganizationAccess {
  readonly team: Team;
}

/**
 * The organization of this name in any case, or of this former name. Undefined when it is absent or hidden from the
 * caller: the caller can't tell which (D-HIDDEN).
 */
export async function findOrganizationAccess(
  { table }: Forge,
  actor: Actor | undefined,
  name: string,
): Promise<OrganizationAccess | undefined> {
  const guard = await table.get<NameGuard>(nameGuardKey(name));
  const id = guard === undefined || guard.kind === "user" ? nobody : guard.ownerId;
  return accessIn(actor, id, await table.getAll([ownerKey(id), ...teamKeys(actor, id)]));
}

/** The team with this id; undefined when it is absent, or when the caller may not know of its organization. */
export async function findTeamAccess(
  { table }: Forge,
  actor: Actor | undefined,
  teamId: number,
): Promise<TeamAccess | undefined> {
  const reference = await table.get<TeamReference>(teamReferenceKey(teamId));
  const id = reference?.organizationId ?? nobody;
  const found = await table.getAll([ownerKey(id), teamKey(id, teamId), ...teamKeys(actor, id)]);
  const access = accessIn(actor, id, found);
  const team = found.get(keyText(teamKey(id, teamId))) as Team | undefined;
  return access === undefined || team === undefined ? undefined : { ...access, team };
}

/**
 * Whether a user is in a team that may create repositories in an organization. Site administrators are no exception.
 */
export async function isCreatorIn(
  { table }: Pick<Forge, "table">,
  organizationId: number,
  userId: number,
): Promise<boolean> {
  const keys = [accessListKey(organizationId), membershipKey(organizationId, userId)] as const;
  const found = await table.getAll(keys);
  const membership = found.get(keyText(keys[1])) as Membership | undefined;
  const live = liveTeams(membership, found.get(keyText(keys[0])) as AccessList | undefined);
  return live.some(({ mode, mayCreateRepositories }) => mode === accessMode.owner || mayCreateRepositories);
}

function accessIn(
  actor: Actor | undefined,
  id: number,
  found: ReadonlyMap<string, Item>,
): OrganizationAccess | undefined {
  const organization = found.get(keyText(ownerKey(id))) as Owner | undefined;
  if (organization?.kind !== "organization") return undefined;
  const teams = teamsFrom(actor, id, found);
  if (!maySeeOrganization(actor, organization, teams.length > 0)) return undefined;
  const isAdmin = actor?.user.isAdmin === true;
  const isOwner = isAdmin || teams.some(({ mode }) => mode === accessMode.owner);
  return {
    organization,
    teams,
    isMember: teams.length > 0,
    isOwner,
    mayCreateRepositories: isOwner || teams.some((team) => team.mayCreateRepositories),
  };
}
