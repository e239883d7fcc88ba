import type { OrganizationAccess } from "../access/organization-access.ts";
import type { Actor } from "../actor.ts";
import { creatorCollaborationWrites } from "../collaborator/collaborator.ts";
import { forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { requireStaying } from "../owner/deletion.ts";
import type { Write } from "../table/write.ts";
import { createRepository, type NewRepository } from "./create.ts";
import type { Repository } from "./repository.table.ts";

/**
 * Creates a repository of an organization. A creator who is no owner of the organization becomes an administrator of
 * the repository (semantics §24.1) for as long as they are a member. 403 when no team lets the caller create; else like
 * `createRepository`.
 */
export async function createRepositoryInOrganization(
  forge: Forge,
  actor: Actor,
  access: OrganizationAccess,
  given: NewRepository,
): Promise<Repository> {
  return createRepository(
    forge,
    actor,
    access.organization,
    given,
    await creatorWrites(forge, actor, access),
  );
}

/** The creator's rights on an organization's new repository. 403 when no team lets the caller create. */
export async function creatorWrites(
  forge: Forge,
  actor: Actor,
  { organization, isOwner, mayCreateRepositories }: OrganizationAccess,
): Promise<(repository: Repository) => Write[]> {
  if (!mayCreateRepositories) {
    throw forbidden("only members of teams that may create repositories can do this here");
  }
  await requireStaying(forge, organization);
  return ({ id }) =>
    isOwner ? [] : creatorCollaborationWrites({ id, ownerId: organization.id }, actor.user.id);
}
