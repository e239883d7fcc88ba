import type { Actor } from "../actor.ts";
import { type Artifact, artifactKeysOf } from "../artifact/artifact.table.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import type { PageRequest } from "../page.ts";
import type { RepositoryCard } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import { listSizedThings } from "./sized-things.ts";

/** An artifact that counts, and the card of its repository. */
export interface UsedArtifact {
  readonly artifact: Artifact;
  readonly card: RepositoryCard;
}

/** A page of the artifacts of Actions that count for an owner, the largest first, with the number of all. */
export async function listUsedArtifacts(
  forge: Forge,
  actor: Actor,
  owner: Owner,
  page: PageRequest,
): Promise<{ readonly items: UsedArtifact[]; readonly total: number }> {
  const { items, total } = await listSizedThings(forge, actor, owner, "artifacts", page);
  const placed = items.flatMap(({ id, card }) =>
    artifactKeysOf(card.repositoryId, id).map((key) => ({ key, card })),
  );
  const found = await forge.table.getAll<Artifact>(placed.map(({ key }) => key));
  return {
    items: placed.flatMap(({ key, card }) => {
      const artifact = found.get(keyText(key));
      return artifact === undefined ? [] : [{ artifact, card }];
    }),
    total,
  };
}
