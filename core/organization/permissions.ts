import { liveTeams } from "../access/grants.ts";
import { accessMode } from "../access/modes.ts";
import type { OrganizationAccess } from "../access/organization-access.ts";
import type { Actor } from "../actor.ts";
import { forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table/write.ts";
import { type AccessList, accessListKey, type Membership, membershipKey } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";

/** A user's rights in an organization through its teams, the best of them. */
export interface OrganizationPermissions {
  readonly read: boolean;
  readonly write: boolean;
  readonly administer: boolean;
  readonly own: boolean;
  readonly createRepositories: boolean;
}

/** A user's rights in an organization: for the user, its owners and site administrators; 403 for others. */
export async function organizationPermissionsOf(
  { table }: Forge,
  actor: Actor,
  { organization, isOwner }: OrganizationAccess,
  user: User,
): Promise<OrganizationPermissions> {
  if (actor.user.id !== user.id && !isOwner) {
    throw forbidden("only the user and owners of the organization may see this");
  }
  const keys = [accessListKey(organization.id), membershipKey(organization.id, user.id)] as const;
  const found = await table.getAll(keys);
  const teams = liveTeams(
    found.get(keyText(keys[1])) as Membership | undefined,
    found.get(keyText(keys[0])) as AccessList | undefined,
  );
  const best = Math.max(0, ...teams.flatMap(({ mode, units }) => [mode, ...units]));
  return {
    read: best >= accessMode.read,
    write: best >= accessMode.write,
    administer: teams.some(({ mode }) => mode >= accessMode.admin),
    own: teams.some(({ mode }) => mode === accessMode.owner),
    createRepositories: teams.some((team) => team.mayCreateRepositories),
  };
}
