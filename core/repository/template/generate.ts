import { findOwnerAccess, type OwnerAccess } from "../../access/owner-access.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { isBlocked } from "../../block/block.ts";
import { blockedRefusal } from "../../block/unblocked.ts";
import { forbidden, notFound, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { openHistory } from "../../git/store/commit-graph/load-graph.ts";
import { openRepository } from "../../git/store/store.ts";
import { defaultHookWrites } from "../../hook/copy.ts";
import { nextId } from "../../ids.ts";
import { templateLfs } from "../../lfs/template.ts";
import { ownerStays } from "../../owner/deletion.ts";
import type { Write } from "../../table/write.ts";
import {
  type Alongside,
  commitNewRepository,
  commitWithFirst,
  limitProblem,
  newRepository,
  requireFreeName,
} from "../create.ts";
import { creatorWrites } from "../create-in-organization.ts";
import { repositoryFieldProblem } from "../internal/fields.ts";
import { createCommitOf, type FirstCommit } from "../internal/first-commit.ts";
import { stageWrites } from "../internal/staged-writes.ts";
import type { Repository } from "../repository.table.ts";
import { type CopiedSettings, copiedSettings } from "./internal/copied-settings.ts";
import { expandTemplate, readTemplateFiles } from "./internal/template-files.ts";

/** The parts to copy from a template. */
export interface Generation extends CopiedSettings {
  readonly owner: string;
  readonly name: string;
  readonly description?: string;
  readonly isPrivate?: boolean;
  readonly defaultBranch?: string;
  readonly copiesContent: boolean;
  readonly copiesTopics: boolean;
  readonly copiesAvatar: boolean;
  /** Nothing is copied for it, but it makes a request valid. */
  readonly copiesGitHooks: boolean;
}

/** The new repository, and its owner. */
export interface Generated {
  readonly repository: Repository;
  readonly owner: OwnerAccess["owner"];
}

/**
 * Makes a repository from a template: its files as one commit by the caller, with variables expanded (semantics §41.1).
 * 422 when it is no template, or nothing is to be copied; 404 for owners whom the caller may not know of, 403 when the
 * caller may not create there, or the template's owner blocks them; else like `createRepository`.
 */
export async function generateRepository(
  forge: Forge,
  actor: Actor,
  template: RepositoryAccess,
  asked: Generation,
): Promise<Generated> {
  requireGenerable(template.repository, asked);
  const target = await findOwnerAccess(forge, actor, asked.owner);
  if (target === undefined) throw noSuchOwner(asked.owner);
  if (await isBlocked(forge, template.owner.id, actor.user.id)) throw blockedRefusal();
  const writesFor = await requireTarget(forge, actor, target);
  const tooMany = await limitProblem(forge, actor, target.owner);
  if (tooMany !== undefined) throw tooMany;
  const planned = await plan(forge, template.repository, target, asked);
  await requireFreeName(forge, planned);
  const copies = await copiedSettings(forge, template, planned.id, asked);
  const large = await templateLfs(forge, template.repository.id, planned.id, asked.copiesContent);
  const alongside: Alongside = {
    owner: target.owner,
    writes: [
      ownerStays(planned.ownerId),
      ...writesFor(planned),
      ...(await stageWrites(forge, planned.id, copies)),
      ...(await defaultHookWrites(forge, planned.id)),
      ...large.writes,
    ],
  };
  const commit = asked.copiesContent
    ? await firstCommitOf(forge, actor, template, planned, target)
    : undefined;
  const repository =
    commit === undefined
      ? await commitNewRepository(forge, actor, planned, alongside)
      : await commitWithFirst(forge, actor, planned, alongside, commit);
  await large.share();
  return { repository, owner: target.owner };
}

function requireGenerable({ isTemplate }: Repository, asked: Generation): void {
  const { name, description = "", defaultBranch = "" } = asked;
  if (!isTemplate) throw unprocessable("the repository is not a template");
  if (!copiesAnything(asked)) {
    throw unprocessable("nothing of the template is to be copied: ask for git_content at least");
  }
  const problem = repositoryFieldProblem({
    name,
    description,
    ...(defaultBranch === "" ? {} : { defaultBranch }),
  });
  if (problem !== undefined) throw problem;
}

const copiesAnything = (asked: Generation): boolean =>
  [
    ...[asked.copiesContent, asked.copiesTopics, asked.copiesAvatar, asked.copiesGitHooks],
    ...[asked.copiesLabels, asked.copiesHooks, asked.copiesProtections],
  ].includes(true);

/** The family reports it under a key of its own, too (semantics §41.1). */
function noSuchOwner(name: string) {
  const error = `owner does not exist [name: ${name}]`;
  return notFound(error, { error });
}

async function requireTarget(
  forge: Forge,
  actor: Actor,
  { owner, organization }: OwnerAccess,
): Promise<(repository: Repository) => readonly Write[]> {
  if (organization !== undefined) return creatorWrites(forge, actor, organization);
  if (owner.id !== actor.user.id && !actor.user.isAdmin) {
    throw forbidden("only the user and site administrators may create repositories of a user");
  }
  return () => [];
}

async function plan(
  forge: Forge,
  template: Repository,
  { owner }: OwnerAccess,
  asked: Generation,
): Promise<Repository> {
  const given = {
    name: asked.name,
    description: asked.description ?? "",
    isPrivate: asked.isPrivate ?? false,
    defaultBranch: asked.defaultBranch || template.defaultBranch,
    objectFormat: template.objectFormat,
  };
  return {
    ...newRepository(forge, owner, await nextId(forge.table, "repository"), given),
    ...(asked.copiesTopics ? { topics: template.topics } : {}),
    ...(asked.copiesAvatar && template.avatar !== undefined ? { avatar: template.avatar } : {}),
  };
}

/** The files of the template's default branch as a commit; undefined when it has no such branch. */
async function firstCommitOf(
  forge: Forge,
  actor: Actor,
  template: RepositoryAccess,
  planned: Repository,
  { owner }: OwnerAccess,
): Promise<FirstCommit | undefined> {
  const opened = await openRepository(forge, template.repository.id);
  if (opened === undefined) throw notFound("the template was deleted meanwhile");
  const tip = opened.refs.find(`${branchPrefix}${template.repository.defaultBranch}`);
  if (tip === undefined) return undefined;
  const history = await openHistory(forge, opened, { compute: forge.compute });
  const { tree } = await history.links(tip.id);
  const at = new Date(forge.clock.now());
  const made = { repository: planned, owner };
  const copied = await readTemplateFiles(forge, history, tree);
  const files = await expandTemplate(forge.config, copied, template, made, at);
  return createCommitOf(forge, planned, actor.user, files);
}
