import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { list as listDirectory } from "../directory/directory.ts";
import { type IssueFilter, type IssueOrder, issueDirectory } from "../directory/issues.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table.ts";
import * as users from "../user/user.ts";
import { search } from "../word-index/word-index.ts";
import { countMatching } from "./counts.ts";
import { type Issue, type IssueKind, issueKey } from "./issue.table.ts";
import { readableKinds } from "./rights.ts";

/** Which issues and pulls of a repository to list, in which order; `page` counts from 1. */
export interface IssueQuery {
  readonly state: "open" | "closed" | "all";
  /** Both kinds when absent; only what the caller may read is listed. */
  readonly kind?: IssueKind;
  /** Words of title, body or comments (D-SEARCH); a blank text asks for none. */
  readonly words?: string;
  /** A user's name, and who asks for it. */
  readonly createdBy?: { readonly name: string; readonly actor: Actor | undefined };
  /** Last updated in this second or later, whole seconds. */
  readonly since?: number;
  readonly before?: number;
  readonly order: IssueOrder;
  readonly page: number;
  readonly limit: number;
}

/** Issues of one page and the number of all that match; `isExact` is false when a word stands in too many texts. */
export interface IssueListing {
  readonly items: readonly Issue[];
  readonly total: number;
  readonly isExact: boolean;
}

const nothing: IssueListing = { items: [], total: 0, isExact: true };

/** One page of a repository's issues and pulls, with every acknowledged change. NotFound when a user named is not there. */
export async function list(forge: Forge, access: RepositoryAccess, query: IssueQuery): Promise<IssueListing> {
  const { words = "" } = query;
  const [filter, found] = await Promise.all([
    filterOf(forge, access, query),
    words.trim() === "" ? undefined : search(forge, access.repository.id, words),
  ]);
  if (filter === undefined || found?.numbers.size === 0) return nothing;
  const numbers = found === undefined ? {} : { numbers: found.numbers };
  const { ids, total } = await page(forge, access, query, { ...filter, ...numbers });
  const issues = await load(forge, access.repository.id, ids);
  return { items: issues, total, isExact: found?.isExact ?? true };
}

const page = (
  forge: Forge,
  { repository }: RepositoryAccess,
  { order, page, limit }: Pick<IssueQuery, "order" | "page" | "limit">,
  filter: IssueFilter,
) => {
  const countTotal = () => countMatching(forge, repository, filter);
  return listDirectory(forge, issueDirectory(repository.id), {
    ...{ filter, sort: { by: order }, page, limit, countTotal },
  });
};

/** Undefined when nothing can match. */
async function filterOf(
  forge: Forge,
  { rights }: RepositoryAccess,
  { state, kind, createdBy, since, before }: IssueQuery,
): Promise<IssueFilter | undefined> {
  const author =
    createdBy === undefined ? undefined : await users.getByName(forge, createdBy.actor, createdBy.name);
  const [type, otherType] = readableKinds(rights).filter((one) => kind === undefined || one === kind);
  if (type === undefined) return undefined;
  return {
    ...(state === "all" ? {} : { state }),
    ...(otherType === undefined ? { type } : {}),
    ...(author === undefined ? {} : { authorId: author.id }),
    ...(since === undefined ? {} : { updatedSince: since }),
    ...(before === undefined ? {} : { updatedBefore: before }),
  };
}

/** Issues by number in the given order; what is gone meanwhile is left out. */
async function load(forge: Forge, repositoryId: number, numbers: readonly number[]): Promise<Issue[]> {
  const keys = numbers.map((number) => issueKey(repositoryId, number));
  const found = await forge.table.getAll<Issue>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}
