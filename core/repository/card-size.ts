import type { Forge } from "../forge.ts";
import { exists } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { cardKey, type Repository, repositoryKey } from "./repository.table.ts";

/** The writes by which the card counts the bytes of the packs; none when the repository is gone. */
export async function cardSizeWrites(
  forge: Forge,
  repositoryId: number,
  gitBytes: number,
): Promise<readonly Write[]> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository === undefined) return [];
  const card = cardKey(repository.ownerId, repositoryId);
  return [update(card, { set: { gitBytes }, add: { v: 1 } }, exists)];
}
