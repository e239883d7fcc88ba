import { accessMode, modeOf } from "../access/modes.ts";
import { accessKeysById, type FoundAccess, findAccessById } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { forgeWith, readAhead } from "../table/read-ahead.ts";
import { renewActor, renewalKeys } from "../token/holder.ts";
import type { Repository } from "./repository.table.ts";

/** Who pushes, as they are now, and the repository that they push to. */
export interface Pusher {
  readonly actor: Actor;
  readonly access: FoundAccess;
}

/** For whoever has read, and may not write. */
export const lostRights = "you may no longer push here";

/**
 * The present repository and pusher, for a push of `actor` that they may have the rights for; or why it can't be. Each
 * attempt asks again, because a push may take longer than rights last. The push's transaction checks that the items
 * behind the rights are as they were read (`grantChecks`); archiving and rules write ROOT.
 */
export async function findPusher(
  forge: Forge,
  actor: Actor,
  { id: repositoryId, ownerId }: Pick<Repository, "id" | "ownerId">,
): Promise<Pusher | string> {
  const keys = [...renewalKeys(actor), ...accessKeysById(actor, repositoryId, ownerId)];
  const ahead = forgeWith(forge, await readAhead(forge.table, keys));
  const [renewed, likely] = await Promise.all([
    renewActor(ahead, actor),
    findAccessById(ahead, actor, repositoryId, ownerId),
  ]);
  if (renewed === undefined) return "your token, password or account lets you in no more";
  const isSame =
    renewed.user.isAdmin === actor.user.isAdmin && renewed.user.isRestricted === actor.user.isRestricted;
  const access = isSame ? likely : await findAccessById(forge, renewed, repositoryId, ownerId);
  if (access === undefined) return "the repository is gone";
  if (access.repository.isArchived) return "the repository is archived and read-only";
  return { actor: renewed, access };
}

/** The same for somebody who must have the right to write to the code or the wiki. */
export async function findPushableRepository(
  forge: Forge,
  actor: Actor,
  repository: Pick<Repository, "id" | "ownerId">,
  unit: "code" | "wiki",
): Promise<FoundAccess | string> {
  const pusher = await findPusher(forge, actor, repository);
  if (typeof pusher === "string") return pusher;
  return modeOf(pusher.access.rights, unit) < accessMode.write ? lostRights : pusher.access;
}
