import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import {
  changeOwner,
  joinedChanges,
  type OwnerChange,
  renamingChange,
  visibilityChange,
} from "../owner/change.ts";
import { claimByAdministrator, claimFor } from "../owner/former-names.ts";
import { type OrganizationProfile, organizationNameProblem, profileProblem } from "./create.ts";
import { organizationDelta } from "./internal/listing.ts";
import type { Organization } from "./organization.table.ts";

/**
 * Changes the description of an organization, and answers the organization after it; absent members stay as they are.
 * 422 when a field is not valid; NotFound when it is gone meanwhile.
 */
export async function editOrganization(
  forge: Forge,
  organization: Organization,
  changes: OrganizationProfile,
): Promise<Organization> {
  const problem = profileProblem(changes);
  if (problem !== undefined) throw problem;
  return change(forge, organization, (current) =>
    joinedChanges<Organization>(
      { set: { ...changes } },
      visibilityChange(forge, current, changes.visibility),
    ),
  );
}

/** Sets the picture (by its SHA-256 in hex), or takes it away. */
export const setOrganizationAvatar = (
  forge: Forge,
  organization: Organization,
  avatar: string | undefined,
): Promise<Organization> =>
  change(forge, organization, () =>
    avatar === undefined ? { set: {}, unset: ["avatar"] } : { set: { avatar } },
  );

/**
 * Renames an organization. The former name leads to it until somebody takes it (semantics §1.3). 422 when the name is
 * not valid, taken, or kept for somebody else (D-FORMER).
 */
export async function renameOrganization(
  forge: Forge,
  { user }: Actor,
  organization: Organization,
  name: string,
): Promise<Organization> {
  const problem = organizationNameProblem(forge, name, "NewName");
  if (problem !== undefined) throw problem;
  return change(forge, organization, (current) => {
    const claim = user.isAdmin ? claimByAdministrator(name) : claimFor(forge, name, organization.id, user.id);
    return renamingChange(forge, current, name, claim);
  });
}

const change = (
  forge: Forge,
  organization: Organization,
  plan: (current: Organization) => OwnerChange<Organization>,
): Promise<Organization> => changeOwner(forge, organization, { delta: organizationDelta, plan });
