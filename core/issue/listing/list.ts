import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { defined } from "../../defined.ts";
import { notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { listUsableLabels } from "../../label/label.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import { readListed } from "../../list-index/listed-items.ts";
import type { ListIndexPage } from "../../list-index/page.ts";
import type { Milestone } from "../../milestone/milestone.table.ts";
import { listMilestones } from "../../milestone/milestone.ts";
import type { PageRequest } from "../../page.ts";
import { keyText } from "../../table/write.ts";
import { getUserByName } from "../../user/find.ts";
import type { User } from "../../user/user.table.ts";
import { searchWords } from "../../word-index/word-index.ts";
import { type IssueFilter, type IssueOrder, type IssueSort, issueIndex } from "../issue.index.ts";
import { type Issue, type IssueKind, issueKey } from "../issue.table.ts";
import { numbersMentioning } from "../references/mentions.ts";
import { isIssueReadable, readableKinds } from "../rights.ts";
import { countMatching } from "./counts.ts";

/** A user's name, and the user who asks. */
export interface NamedUser {
  readonly name: string;
  readonly actor: Actor | undefined;
}

/** Which issues and pulls of a repository to list, in which order. */
export interface IssueQuery extends PageRequest {
  readonly state: "open" | "closed" | "all";
  /** Both kinds when absent; only kinds that the caller may read are listed. */
  readonly kind?: IssueKind;
  /** Words of title, body or comments (D-SEARCH); a blank text asks for none. */
  readonly words?: string;
  readonly createdBy?: NamedUser;
  readonly assignedTo?: NamedUser;
  readonly mentioning?: NamedUser;
  /** Names that must all be among its labels; unknown ones are ignored unless all are unknown. */
  readonly labels?: readonly string[];
  /** Ids of labels, one of which is enough. */
  readonly labelIds?: readonly number[];
  /** The milestone's id. */
  readonly milestoneId?: number;
  /** Of pulls alone. */
  readonly branches?: IssueFilter["branches"];
  /** One of the labels is enough. */
  readonly isAnyLabel?: boolean;
  /** Ids or titles, one of which must be its milestone; unknown ones as with labels. */
  readonly milestones?: readonly string[];
  /** Last updated in this second or later, whole seconds. */
  readonly since?: number;
  readonly before?: number;
  readonly order: IssueOrder;
}

/** Issues of one page and the number of all that match; `isExact` is false when a word is in too many texts. */
export interface IssueListing {
  readonly items: readonly Issue[];
  readonly total: number;
  readonly isExact: boolean;
}

const nothing: IssueListing = { items: [], total: 0, isExact: true };

/**
 * One page of a repository's issues and pulls, with every acknowledged change. NotFound when a named user is missing,
 * and when the kind asked for is switched off or hidden from the caller (semantics §3.8).
 */
export async function listIssues(
  forge: Forge,
  access: RepositoryAccess,
  query: IssueQuery,
): Promise<IssueListing> {
  const { kind, words = "" } = query;
  if (kind !== undefined && !isIssueReadable(access.rights, kind)) {
    throw notFound(`${kind}s are switched off in the repository, or hidden from you`);
  }
  const [filter, found, mentioning] = await Promise.all([
    filterOf(forge, access, query),
    words.trim() === "" ? undefined : searchWords(forge, access.repository.id, words),
    findMentioning(forge, access, query),
  ]);
  const numbers = inBoth(found?.numbers, mentioning);
  if (filter === undefined || numbers?.size === 0) return nothing;
  const only = defined({ numbers });
  const listed = await page(forge, access, query, { ...filter, ...only });
  const issues = await load(forge, access.repository.id, listed);
  return { items: issues, total: listed.total, isExact: found?.isExact ?? true };
}

async function page(
  forge: Forge,
  { repository }: RepositoryAccess,
  { order, page, limit }: Pick<IssueQuery, "order" | "page" | "limit">,
  filter: IssueFilter,
) {
  const sort = await sortOf(forge, repository.id, order);
  const countTotal = () => countMatching(forge, repository, filter);
  return listFromIndex(forge, issueIndex(repository.id), {
    ...{ filter, sort, page, limit, countTotal, withVersions: true },
  });
}

/** The filter of a query for the issues of a repository; undefined when nothing can match. */
export async function filterOf(
  forge: Forge,
  access: RepositoryAccess,
  query: Omit<IssueQuery, "order" | "page" | "limit">,
): Promise<IssueFilter | undefined> {
  const { state, kind, since, before } = query;
  const [type, otherType] = readableKinds(access.rights).filter((one) => kind === undefined || one === kind);
  const [author, assignee, labelGroups, milestoneIds] = await Promise.all([
    userOf(forge, query.createdBy),
    userOf(forge, query.assignedTo),
    labelGroupsOf(forge, access, query.labels),
    milestoneIdsOf(forge, access, query.milestones),
  ]);
  if (type === undefined || labelGroups?.length === 0 || milestoneIds?.size === 0) return undefined;
  return {
    ...(state === "all" ? {} : { state }),
    ...(otherType === undefined ? { type } : {}),
    ...defined({ authorId: author?.id, assigneeId: assignee?.id }),
    ...(labelGroups === undefined
      ? {}
      : { labelGroups: query.isAnyLabel ? [labelGroups.flat()] : labelGroups }),
    ...(query.labelIds === undefined ? {} : { labelGroups: [query.labelIds] }),
    ...defined({ milestoneIds, updatedSince: since, updatedBefore: before, branches: query.branches }),
    ...(query.milestoneId === undefined ? {} : { milestoneIds: new Set([query.milestoneId]) }),
  };
}

const userOf = async (forge: Forge, named: NamedUser | undefined): Promise<User | undefined> =>
  named === undefined ? undefined : getUserByName(forge, named.actor, named.name);

/** The numbers of issues that mention the user asked for; undefined when the query names none. */
async function findMentioning(
  forge: Forge,
  { repository }: RepositoryAccess,
  { mentioning }: IssueQuery,
): Promise<Set<number> | undefined> {
  const user = await userOf(forge, mentioning);
  return user === undefined ? undefined : numbersMentioning(forge, user.id, repository.id);
}

/** The numbers in both; an absent set restricts nothing. */
export function inBoth(
  one: ReadonlySet<number> | undefined,
  other: ReadonlySet<number> | undefined,
): ReadonlySet<number> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new Set([...one].filter((number) => other.has(number)));
}

/** For each known name the labels that have it; none when all names are unknown, undefined when none is given. */
async function labelGroupsOf(
  forge: Forge,
  access: RepositoryAccess,
  names: readonly string[] = [],
): Promise<number[][] | undefined> {
  if (names.length === 0) return undefined;
  const usable = await listUsableLabels(forge, access);
  return names
    .map((name) => usable.filter((label) => label.name === name).map(({ id }) => id))
    .filter((group) => group.length > 0);
}

async function milestoneIdsOf(
  forge: Forge,
  { repository }: RepositoryAccess,
  wanted: readonly string[] = [],
): Promise<Set<number> | undefined> {
  if (wanted.length === 0) return undefined;
  const all = await listMilestones(forge, repository.id);
  const isWanted = ({ id, title }: Milestone) => wanted.includes(title) || wanted.includes(String(id));
  return new Set(all.filter(isWanted).map(({ id }) => id));
}

/** An order for the list index of a repository: with the deadlines of milestones, for orders by due date. */
export async function sortOf(forge: Forge, repositoryId: number, by: IssueOrder): Promise<IssueSort> {
  const isByDueDate = by === "nearduedate" || by === "farduedate";
  return isByDueDate ? { by, milestoneDeadlines: await deadlinesOf(forge, repositoryId) } : { by };
}

async function deadlinesOf(forge: Forge, repositoryId: number): Promise<Map<number, number>> {
  const all = await listMilestones(forge, repositoryId);
  return new Map(all.map(({ id, dueAt }) => [id, dueAt]));
}

/** The issues of a page in its order, without those that were removed meanwhile. */
async function load(
  { table }: Forge,
  repositoryId: number,
  { ids, versions = [] }: ListIndexPage,
): Promise<Issue[]> {
  const listed = ids.map((number, at) => ({ ...issueKey(repositoryId, number), version: versions[at] }));
  const found = await readListed(table, listed);
  return listed.flatMap((key) => (found.get(keyText(key)) as Issue | undefined) ?? []);
}
