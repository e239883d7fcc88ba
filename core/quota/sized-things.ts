import { isHiddenFromToken } from "../access/public-only.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import type { PageRequest } from "../page.ts";
import { cardPrefix, ownerPartition, type RepositoryCard } from "../repository/repository.table.ts";
import { pageOfLargest } from "./largest.ts";
import { type SizedList, type SizedThing, sizedThingsOf } from "./quota.table.ts";

/** A thing that counts, and the card of the repository that has it. */
export interface ListedThing {
  readonly id: number;
  readonly sizeBytes: number;
  readonly card: RepositoryCard;
}

/** The sums of a card over the things of a list. */
const sumsOf: Readonly<Record<SizedList, (card: RepositoryCard) => { things: number; bytes: number }>> = {
  attachments: (card) => ({
    things: (card.issueAttachments ?? 0) + (card.releaseAttachments ?? 0),
    bytes: (card.issueAttachmentBytes ?? 0) + (card.releaseAttachmentBytes ?? 0),
  }),
  artifacts: (card) => ({ things: card.artifacts ?? 0, bytes: card.artifactBytes ?? 0 }),
};

/** Reads the largest things of a repository. */
export type ReadLargest = (
  forge: Forge,
  repositoryId: number,
  most: number,
) => Promise<readonly Pick<ListedThing, "id" | "sizeBytes">[]>;

/**
 * A page of what an owner's repositories have of a list, the largest first (semantics §18.4), with the number of all. A
 * token that is limited to public things learns of no others.
 */
export async function listSizedThings(
  forge: Forge,
  actor: Actor,
  owner: Owner,
  list: SizedList,
  page: PageRequest,
  readLargest: ReadLargest = rowsOf(list),
): Promise<{ readonly items: ListedThing[]; readonly total: number }> {
  const pk = ownerPartition(owner.id);
  const cards = await forge.table.queryAll<RepositoryCard>({ pk, prefix: cardPrefix });
  const shown = cards.filter((card) => !isHiddenFromToken(actor, { owner, repository: card }));
  const sources = shown.map((card) => ({
    ...sumsOf[list](card),
    largest: async (most: number) =>
      (await readLargest(forge, card.repositoryId, most)).map(({ id, sizeBytes }) => ({
        id,
        sizeBytes,
        card,
      })),
  }));
  return pageOfLargest(sources, page);
}

const rowsOf =
  (list: SizedList): ReadLargest =>
  ({ table }, repositoryId, limit) =>
    table.queryAll<SizedThing>({ ...sizedThingsOf(repositoryId, list), limit });
