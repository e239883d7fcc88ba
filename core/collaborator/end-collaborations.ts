import { blockKey } from "../block/block.table.ts";
import type { Forge } from "../forge.ts";
import type { JobKind } from "../jobs/job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { check, exists, keyText, remove } from "../table.ts";
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
 * Ends what the two of a block were given on each other's repositories, unless it was lifted meanwhile. No new right can
 * come while it stands: who gives one does it under the condition that neither blocks the other.
 */
export const endCollaborations: JobKind<NewBlock & Record<string, number>, { readonly none: true }> = {
  async step(forge, block) {
    await endOneWay(forge, block, block.ownerId, block.userId);
    await endOneWay(forge, block, block.userId, block.ownerId);
    return { done: true };
  },
};

async function endOneWay(
  { table }: Forge,
  { ownerId, userId }: NewBlock,
  ownerOfRepositories: number,
  collaborator: number,
): Promise<void> {
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
}
