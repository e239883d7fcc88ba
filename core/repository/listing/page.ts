import { nobody } from "../../access/acquaintance.ts";
import type { ListingRules } from "../../access/listed-repositories.ts";
import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import { type PageRequest, rowsOfPage } from "../../page.ts";
import { findDetailsOfRepositories, type RepositoryDetails, type RepositoryReference } from "../details.ts";
import { ownerOf, type RepositorySort, repositoryIndex } from "../repository.index.ts";
import type { RepositoryFilter } from "./repository-filter.ts";

/** The repositories of one page and how many there are in all. */
export interface RepositoryListing {
  readonly items: RepositoryDetails[];
  readonly total: number;
}

/** All there are. */
export const wholeList: PageRequest = { page: 1, limit: Number.MAX_SAFE_INTEGER };

/** The rules for the details of a page. */
export type PageRules = Pick<ListingRules, "visible" | "mayKnow">;

/** A page of the repositories in the list index that a filter accepts. */
export async function listMatchingRepositories(
  forge: Forge,
  actor: Actor | undefined,
  page: PageRequest,
  sort: ListOrder,
  rules: PageRules,
  filter: RepositoryFilter,
): Promise<RepositoryListing> {
  const { references, total } = await findCandidates(forge, filter, sort, page);
  return { items: await findDetailsOfRepositories(forge, actor, references, rules), total };
}

interface Candidates {
  readonly references: RepositoryReference[];
  readonly total: number;
}

/** The repositories of the owner who comes first, then the others. */
async function ownersFirst(
  forge: Forge,
  filter: RepositoryFilter,
  { ownerFirst, ...sort }: ListOrder,
  { page, limit }: PageRequest,
): Promise<Candidates> {
  const upToPage = { page: 1, limit: page * limit };
  const half = (isFirst: boolean) =>
    findCandidates(
      forge,
      {
        ...filter,
        surely: undefined,
        accepts: (one) =>
          (one.ownerId === ownerFirst) === isFirst && (filter.accepts === undefined || filter.accepts(one)),
      },
      sort,
      upToPage,
    );
  const [first, rest] = await Promise.all([half(true), half(false)]);
  const references = rowsOfPage([...first.references, ...rest.references], { page, limit });
  return { references, total: first.total + rest.total };
}

/** An order, and the owner whose repositories come before all others. */
type ListOrder = RepositorySort & { readonly ownerFirst?: number };

/** A page from the list index. */
export async function findCandidates(
  forge: Forge,
  filter: RepositoryFilter,
  sort: ListOrder,
  bounds: PageRequest,
): Promise<Candidates> {
  if (sort.ownerFirst !== undefined) return ownersFirst(forge, filter, sort, bounds);
  const query = { filter, sort, ...bounds, keyOf: ownerOf, withVersions: true };
  const page = await listFromIndex(forge, repositoryIndex, query);
  const { ids, keys = [], versions = [], total } = page;
  const references = ids.map((repositoryId, at) => {
    return { repositoryId, ownerId: keys[at] ?? nobody, version: versions[at] };
  });
  return { references, total };
}
