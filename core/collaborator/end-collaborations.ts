import { blockKey } from "../block/block.table.ts";
import type { Forge } from "../forge.ts";
import type { JobKind } from "../jobs/job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { forgetStarsAndWatchesAtOwner } from "../star-watch/star-watch.ts";
import { exists } from "../table/condition.ts";
import { check, keyText, remove } from "../table/write.ts";
import {
  type CollaboratorMirror,
  collaboratorKey,
  collaboratorMirrorKey,
  collaboratorMirrorsOf,
} from "./collaborator.table.ts";

/** A block of a user by an owner. */
export interface NewBlock {
  readonly ownerId: number;
  readonly userId: number;
}

/**
 * Ends the rights of the two sides of a block on each other's repositories, with their stars and watches there, unless
 * the block was lifted meanwhile. None can be added while it stands: those writes hold only while neither blocks the
 * other.
 */
export const endCollaborations: JobKind<NewBlock & Record<string, number>, { readonly none: true }> = {
  async step(forge, block) {
    await endOneWay(forge, block, block.ownerId, block.userId);
    await endOneWay(forge, block, block.userId, block.ownerId);
    return { done: true };
  },
};

async function endOneWay(
  forge: Forge,
  { ownerId, userId }: NewBlock,
  ownerOfRepositories: number,
  collaborator: number,
): Promise<void> {
  const { table } = forge;
  const mirrors = await table.queryAll<CollaboratorMirror>(collaboratorMirrorsOf(collaborator));
  const found = await table.getAll<Repository>(mirrors.map((mirror) => repositoryKey(mirror.repositoryId)));
  for (const { repositoryId } of mirrors) {
    const repository = found.get(keyText(repositoryKey(repositoryId)));
    if (repository?.ownerId !== ownerOfRepositories) continue;
    await table.transact([
      check(blockKey(ownerId, userId), exists),
      remove(collaboratorKey(repositoryId, collaborator)),
      remove(collaboratorMirrorKey(collaborator, repositoryId)),
    ]);
  }
  if ((await table.get(blockKey(ownerId, userId))) === undefined) return;
  await forgetStarsAndWatchesAtOwner(forge, collaborator, ownerOfRepositories);
}
