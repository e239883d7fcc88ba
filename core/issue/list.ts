import { setImmediate as turn } from "node:timers/promises";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { list as listDirectory } from "../directory/directory.ts";
import { type IssueFilter, type IssueOrder, issueDirectory } from "../directory/issues.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table.ts";
import * as users from "../user/user.ts";
import { type Issue, type IssueKind, issueKey } from "./issue.table.ts";
import { readableKinds } from "./rights.ts";
import { wordTest } from "./words.ts";

/** Which issues and pulls of a repository to list, in which order; `page` counts from 1. */
export interface IssueQuery {
  readonly state: "open" | "closed" | "all";
  /** Both kinds when absent; only what the caller may read is listed. */
  readonly kind?: IssueKind;
  /** Words of title or body (D-SEARCH). */
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

/** Issues of one page and the number of all that match; `isExact` is false when not all could be looked at. */
export interface IssueListing {
  readonly items: readonly Issue[];
  readonly total: number;
  readonly isExact: boolean;
}

const searchedIssues = 200;

/** One page of a repository's issues and pulls, with every acknowledged change. NotFound when a user named is not there. */
export async function list(forge: Forge, access: RepositoryAccess, query: IssueQuery): Promise<IssueListing> {
  const filter = await filterOf(forge, access, query);
  if (filter === undefined) return { items: [], total: 0, isExact: true };
  const isMatch = query.words === undefined ? undefined : wordTest(query.words);
  if (isMatch !== undefined) return search(forge, access, query, filter, isMatch);
  const { ids, total } = await page(forge, access, query, filter);
  const issues = await load(forge, access.repository.id, ids);
  return { items: issues, total, isExact: true };
}

/**
 * Looks for words in the newest 200 issues that fit the rest of the filter: a bound that holds until words have an
 * index of their own. The total counts what was found among them.
 */
async function search(
  forge: Forge,
  access: RepositoryAccess,
  query: IssueQuery,
  filter: IssueFilter,
  isMatch: (text: string) => boolean,
): Promise<IssueListing> {
  const newest = { ...query, order: "latest", page: 1, limit: searchedIssues } as const;
  const candidates = await page(forge, access, newest, filter);
  const issues = await load(forge, access.repository.id, candidates.ids);
  const found = new Map<number, Issue>();
  for (const issue of issues) {
    if (isMatch(`${issue.title}\n${issue.body}`)) found.set(issue.number, issue);
    await turn(); // long texts take milliseconds each
  }
  const { ids, total } = await page(forge, access, query, { ...filter, numbers: new Set(found.keys()) });
  const items = ids.flatMap((number) => found.get(number) ?? []);
  return { items, total, isExact: candidates.total <= searchedIssues };
}

const page = (
  forge: Forge,
  { repository }: RepositoryAccess,
  { order, page, limit }: Pick<IssueQuery, "order" | "page" | "limit">,
  filter: IssueFilter,
) => listDirectory(forge, issueDirectory(repository.id), { filter, sort: { by: order }, page, limit });

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
