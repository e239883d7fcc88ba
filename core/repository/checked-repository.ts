import { defined } from "../defined.ts";
import type { KeptItems } from "../lifecycle/check/checks.ts";
import type { Item } from "../table/write.ts";
import type { Repository } from "./repository.table.ts";

/** The kind of a repository's item. */
export const repositoryKind = "R#<repository> / META";

/** What checks across repositories know of each: what says where its name, card, picture and wiki lie. */
export type PlacedRepository = Pick<
  Repository,
  "pk" | "sk" | "id" | "ownerId" | "name" | "state" | "teamIds" | "wikiId"
> & { readonly avatar?: string };

/** What is kept of a repository's item. */
export function placed(item: Item): PlacedRepository {
  const { pk, sk, id, ownerId, name, state, teamIds, wikiId, avatar } = item as PlacedRepository;
  return {
    ...{ pk, sk, id, ownerId, name, state },
    ...defined({ teamIds, wikiId, avatar }),
  };
}

/** Repositories by id, whatever their state, for checks that read their kind. */
export const repositoriesIn = (facts: KeptItems): Map<number, PlacedRepository> =>
  new Map(facts.all<PlacedRepository>(repositoryKind).map((repository) => [repository.id, repository]));

/** Under which ids git data lies: of repositories, and of their wikis. */
export const gitIdsIn = (facts: KeptItems): Set<number> =>
  new Set(
    facts
      .all<PlacedRepository>(repositoryKind)
      .flatMap(({ id, wikiId }) => (wikiId === undefined ? [id] : [id, wikiId])),
  );
