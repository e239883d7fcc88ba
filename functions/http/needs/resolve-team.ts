import { findTeamAccess, type TeamAccess } from "#core/access/organization-access";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { forbidden, targetNotFound } from "#core/errors";
import type { Forge } from "#core/forge";
import type { PathParams } from "../params.ts";
import { isNamed, requirePublic } from "./caller.ts";
import type { Needs } from "./needs.ts";
import { resolveRepository } from "./resolve-repository.ts";

/**
 * The team of the path, when the operation needs one. Strangers to its organization learn of none of its teams; other
 * members may not look into this one.
 */
export async function resolveTeam(
  forge: Forge,
  { team: need }: Needs,
  actor: Actor | undefined,
  { id, username }: PathParams,
): Promise<TeamAccess | undefined> {
  if (need === undefined) return undefined;
  const found = await findTeamAccess(forge, actor, Number(id));
  if (found === undefined || !(found.isMember || found.isOwner)) {
    throw targetNotFound(`team does not exist [id: ${id}]`);
  }
  requirePublic(actor, { owner: found.organization });
  const isSelf = need === "owner-or-self" && isNamed(actor, username);
  if (need !== "member" && !found.isOwner && !isSelf) throw forbidden("Must be an organization owner");
  if (!found.isOwner && found.teams.every((team) => team.id !== found.team.id)) {
    throw forbidden("Must be a team member");
  }
  return found;
}

/** A repository of the team's organization, named `{org}/{repo}`. */
export async function resolveTeamRepository(
  forge: Forge,
  needs: Needs,
  actor: Actor | undefined,
  { organization }: TeamAccess,
  { org, repo }: PathParams,
): Promise<RepositoryAccess> {
  const access = await resolveRepository(forge, needs, actor, { org: org ?? "", repo: repo ?? "" }, "org");
  if (access.owner.id === organization.id) return access;
  throw targetNotFound(`repository does not exist [${organization.name}/${repo}]`);
}
