import type { Actor } from "../actor.ts";
import type { RepositorySort } from "../directory/repositories.ts";
import type { RepositoryFilter } from "../directory/repository-filter.ts";
import type { Forge } from "../forge.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { findAllDetails, type RepositoryReference } from "./details.ts";
import { candidates, everything, type PageRules, type RepositoryListing } from "./directory-page.ts";
import { cardKey, cardPrefix, ownerIdOf, ownerPartition, type RepositoryCard } from "./repository.table.ts";
import { findAllNumbers } from "./sealed-numbers.ts";

/** A match with its size; with its card where that had to be read. */
interface Sized {
  readonly reference: RepositoryReference;
  readonly gitBytes: number;
}

/** All that match, ordered by the sizes on their cards. Sizes that are sealed are taken from memory (decision 24). */
export async function listedBySize(
  forge: Forge,
  actor: Actor,
  page: PageRequest,
  { isDescending = false }: RepositorySort,
  rules: PageRules,
  filter: RepositoryFilter,
): Promise<RepositoryListing> {
  const { references } = await candidates(forge, filter, { by: "id" }, everything);
  const activities = new Map(references.map(({ repositoryId, activity }) => [repositoryId, activity]));
  const known = findAllNumbers(forge.table, activities);
  const unknown = references.filter(({ repositoryId }) => !known.has(repositoryId));
  const cards = await findCards(forge, actor, unknown);
  const sized = references.flatMap((reference): Sized[] => {
    const { repositoryId } = reference;
    const numbers = known.get(repositoryId);
    if (numbers !== undefined) return [{ reference, gitBytes: numbers.gitBytes }];
    const card = cards.get(repositoryId);
    if (card === undefined) return [];
    return [{ reference: { ...reference, ownerId: ownerIdOf(card), card }, gitBytes: card.gitBytes }];
  });
  const direction = isDescending ? -1 : 1;
  sized.sort((one, other) => direction * (one.gitBytes - other.gitBytes));
  const shown = rowsOfPage(sized, page);
  const onPage = shown.map(({ reference }) => reference);
  return { items: await findAllDetails(forge, actor, onPage, rules), total: sized.length };
}

/** The cards of some repositories, by repository; none where one is gone. */
async function findCards(
  { table }: Forge,
  { user }: Actor,
  references: readonly RepositoryReference[],
): Promise<ReadonlyMap<number, RepositoryCard>> {
  const others = references.filter(({ ownerId }) => ownerId !== user.id);
  const keys = others.map(({ ownerId, repositoryId }) => cardKey(ownerId, repositoryId));
  // His own lie side by side: a query of many costs little, where each by its key costs a unit.
  const [own, found] = await Promise.all([
    others.length < references.length
      ? table.queryAll<RepositoryCard>({ pk: ownerPartition(user.id), prefix: cardPrefix })
      : [],
    table.getAll<RepositoryCard>(keys),
  ]);
  return new Map([...own, ...found.values()].map((card) => [card.repositoryId, card]));
}
