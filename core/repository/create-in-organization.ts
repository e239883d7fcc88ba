import type { OrganizationAccess } from "../access/organization-access.ts";
import type { Actor } from "../actor.ts";
import { collaboratorWrites } from "../collaborator/collaborator.ts";
import { conflict, forbidden, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Organization } from "../organization/organization.table.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { all, check, equals, exists, update } from "../table.ts";
import { create, type NewRepository } from "./create.ts";
import type { Repository } from "./repository.table.ts";

/**
 * Creates a repository of an organization. Who is no owner of the organization becomes an administrator of the
 * repository (semantics §24.1). 403 for whom no team lets create; else as `create`.
 */
export async function createInOrganization(
  forge: Forge,
  actor: Actor,
  access: OrganizationAccess,
  given: NewRepository,
): Promise<Repository> {
  const { organization, isOwner, mayCreateRepositories } = access;
  if (!mayCreateRepositories) {
    throw forbidden("only members of teams that may create repositories can do this here");
  }
  await requireLive(forge, organization);
  const isThere = check(ownerKey(organization.id), all(exists, equals({ deletion: undefined })));
  return create(forge, actor, organization, given, {
    writesFor: ({ id }) => [isThere, ...(isOwner ? [] : collaboratorWrites(id, actor.user.id, "admin"))],
    requireOwner: async () =>
      requireLive(forge, await forge.table.get<Organization>(ownerKey(organization.id))),
  });
}

/** Refuses while somebody is about to delete the organization; takes off a mark whose time is over. */
async function requireLive(forge: Forge, organization: Organization | undefined): Promise<void> {
  if (organization === undefined) throw notFound("the organization was deleted meanwhile");
  const { id, deletion } = organization;
  if (deletion === undefined) return;
  if (deletion.until > forge.clock.now())
    throw conflict("the organization is about to be deleted; try again");
  await forge.table.write(update(ownerKey(id), { unset: ["deletion"] }, equals({ deletion })));
}
