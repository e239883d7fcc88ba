import type { Actor } from "../actor.ts";
import type { RepositoryFilter, RepositorySort } from "../directory/repositories.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import { keyText } from "../table.ts";
import { findAllDetails } from "./details.ts";
import {
  candidates,
  everything,
  type ListPage,
  type PageRules,
  type RepositoryListing,
} from "./directory-page.ts";
import { cardKey, cardPrefix, ownerIdOf, ownerPartition, type RepositoryCard } from "./repository.table.ts";

const findCards = (forge: Forge, owner: Pick<Owner, "id">): Promise<RepositoryCard[]> =>
  forge.table.queryAll<RepositoryCard>({ pk: ownerPartition(owner.id), prefix: cardPrefix });

/** All that match, ordered by the sizes on their cards. */
export async function listedBySize(
  forge: Forge,
  actor: Actor,
  page: ListPage,
  { isDescending = false }: RepositorySort,
  rules: PageRules,
  filter: RepositoryFilter,
): Promise<RepositoryListing> {
  const all = await candidates(forge, filter, { by: "id" }, everything);
  const byId = new Map(all.references.map((reference) => [reference.repositoryId, reference]));
  const others = all.references.filter(({ ownerId }) => ownerId !== actor.user.id);
  const keys = others.map(({ ownerId, repositoryId }) => cardKey(ownerId, repositoryId));
  // His own lie side by side: a query of many costs little, where each by its key costs a unit.
  const [ownCards, found] = await Promise.all([
    others.length < all.references.length ? findCards(forge, actor.user) : [],
    forge.table.getAll<RepositoryCard>(keys),
  ]);
  const cards = [
    ...ownCards.filter(({ repositoryId }) => byId.has(repositoryId)),
    ...keys.flatMap((key) => found.get(keyText(key)) ?? []),
  ].sort((one, other) => one.repositoryId - other.repositoryId);
  const direction = isDescending ? -1 : 1;
  cards.sort((one, other) => direction * (one.gitBytes - other.gitBytes));
  const shown = cards.slice((page.page - 1) * page.limit, page.page * page.limit);
  const references = shown.flatMap((card) => {
    const reference = byId.get(card.repositoryId);
    return reference === undefined ? [] : [{ ...reference, ownerId: ownerIdOf(card), card }];
  });
  return { items: await findAllDetails(forge, actor, references, rules), total: cards.length };
}
