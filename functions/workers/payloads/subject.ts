import { enabledUnits } from "#core/access/enabled-units";
import { accessMode } from "#core/access/modes";
import type { Config } from "#core/config";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import { ownerKey } from "#core/owner/owner.table";
import { type RepositoryDetails, repositoryDetailsOf } from "#core/repository/details";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { findUserById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import { presentUser } from "../../api/user/present.ts";
import type { UserJson } from "../../api/user/schema.ts";
import type { View } from "../../http/answer/view.ts";

/**
 * The common part of every payload: the repository as its owner sees it, and the acting user. E-mail addresses are
 * hidden.
 */
export interface Subject {
  readonly view: View;
  readonly details: RepositoryDetails;
  readonly sender: UserJson;
}

/** Loads the subject of an event; undefined when the repository is gone. One that is being deleted is still there. */
export async function findSubject(
  forge: Forge,
  event: { readonly repositoryId: number; readonly actorId: number },
): Promise<Subject | undefined> {
  const repository = await forge.table.get<Repository>(repositoryKey(event.repositoryId));
  if (repository === undefined) return undefined;
  const [owner, actor] = await Promise.all([
    forge.table.get<Owner>(ownerKey(repository.ownerId)),
    findUserById(forge, event.actorId),
  ]);
  if (owner === undefined) return undefined;
  const rights = { base: accessMode.owner, enabledUnits: enabledUnits(forge.config, repository) };
  const view = viewOfNobody(forge.config);
  return {
    view,
    details: await repositoryDetailsOf(forge, { repository, owner, rights }),
    sender: presentUser(view, actor ?? ghostUser),
  };
}

/** Presenters show an anonymous reader only things that every receiver of a payload may see. */
const viewOfNobody = (config: Config): View => ({ config, actor: undefined });
