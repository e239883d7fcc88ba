import { findOrganizationAccess } from "../../access/organization-access.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { defined } from "../../defined.ts";
import { badRequest } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { listAcross, type Matches } from "../../list-index/list-across.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import { readListed } from "../../list-index/listed-items.ts";
import { rowsOfPage } from "../../page.ts";
import { readAllCounts } from "../../repository/counts.ts";
import { listShownRepositories, mostRepositories, type ShownFilter } from "../../repository/listing/shown.ts";
import type { RepositoryNumbers } from "../../repository/repository.table.ts";
import { keyText } from "../../table/write.ts";
import { type Team, type TeamNameGuard, teamKey, teamNameKey } from "../../team/team.table.ts";
import { findOwner, getUserByName } from "../../user/find.ts";
import { searchWords } from "../../word-index/word-index.ts";
import { type CallerRole, type NumbersByRepository, numbersOfCaller } from "../caller-roles.ts";
import { type IssueFilter, issueIndex, orderAcross } from "../issue.index.ts";
import { type Issue, issueKey } from "../issue.table.ts";
import type { IssueAddress } from "../placed-issues.ts";
import { sumMatching } from "./counts.ts";
import { filterOf, type IssueQuery, inBoth, sortOf } from "./list.ts";

/** Filters and order for issues and pulls of all repositories. One of the labels is enough. */
export interface IssueSearch extends Omit<IssueQuery, "assignedTo" | "isAnyLabel"> {
  /** The caller must have all of these roles; ignored for anonymous callers. */
  readonly roles: readonly CallerRole[];
  /** Only repositories of this owner, by name. */
  readonly owner?: string;
  /** Only repositories of this team of the owner, by name. */
  readonly team?: string;
}

/** An issue and the repository that it is in. */
interface FoundIssue {
  readonly issue: Issue;
  readonly access: RepositoryAccess;
}

/** Issues of one page and the number of matches; `isExact` is false once a bound was passed (D-TOTAL). */
export interface IssueSearchListing {
  readonly items: readonly FoundIssue[];
  readonly total: number;
  readonly isExact: boolean;
}

/**
 * One page of the issues and pulls of all repositories that the caller may see, with every acknowledged change
 * (D-TOTAL: of 200 repositories). BadRequest for an owner or a team that is missing, or that the caller may not know
 * of; NotFound for an author.
 */
export async function searchIssues(
  forge: Forge,
  actor: Actor | undefined,
  asked: IssueSearch,
): Promise<IssueSearchListing> {
  const [place, author, own] = await Promise.all([
    placeOf(forge, actor, asked),
    asked.createdBy === undefined ? undefined : getUserByName(forge, actor, asked.createdBy.name),
    numbersOfCaller(forge, actor, asked.roles),
  ]);
  const ids = own === undefined ? {} : { ids: new Set(own.numbers.keys()) };
  const shown = await listShownRepositories(forge, actor, { ...place, ...ids }, mostRepositories);
  const places = await withCounts(forge, shown.items);
  const only = defined({ authorId: author?.id });
  const across = await listAcross(places, asked, (access, upTo) =>
    findIn(forge, access, { ...asked, ...upTo }, { ...only, ...numbersIn(own?.numbers, access) }),
  );
  const { found, total } = across;
  const isExact = shown.total <= mostRepositories && own?.isWhole !== false;
  return {
    items: await load(forge, newestOf(found, asked)),
    total,
    isExact: isExact && across.isWhole && found.every((one) => one.isExact),
  };
}

/** A repository to look into, and how many issues and pulls it has. */
interface CountedRepository extends RepositoryAccess {
  readonly counts: RepositoryNumbers["counts"];
}

/** Totals are exact at once, unlike the counts that lists of repositories show (D-LISTED). */
async function withCounts(forge: Forge, found: readonly RepositoryAccess[]): Promise<CountedRepository[]> {
  const counts = await readAllCounts(
    forge,
    found.map(({ repository }) => repository),
  );
  return found.flatMap((access) => {
    const counted = counts.get(access.repository.id);
    return counted === undefined ? [] : { ...access, counts: counted };
  });
}

/** The repositories that the caller wants to search. */
async function placeOf(
  forge: Forge,
  actor: Actor | undefined,
  { owner: ownerName, team: teamName }: IssueSearch,
): Promise<ShownFilter> {
  if (ownerName === undefined) {
    if (teamName !== undefined) throw badRequest("team: name its owner, too");
    return {};
  }
  const owner = await findOwner(forge, actor, ownerName);
  if (owner === undefined) throw badRequest(`owner does not exist [name: ${ownerName}]`);
  if (teamName === undefined) return { ownerId: owner.id };
  const team = await findTeam(forge, actor, owner.name, teamName);
  if (team === undefined) throw badRequest(`team does not exist [name: ${teamName}]`);
  return { ownerId: owner.id, ...(team.includesAll ? {} : { teamId: team.id }) };
}

/** Members of an organization may know of its teams. */
async function findTeam(
  forge: Forge,
  actor: Actor | undefined,
  organizationName: string,
  name: string,
): Promise<Team | undefined> {
  const access = await findOrganizationAccess(forge, actor, organizationName);
  if (access === undefined || !(access.isMember || access.isOwner)) return undefined;
  const { id } = access.organization;
  const guard = await forge.table.get<TeamNameGuard>(teamNameKey(id, name));
  return guard === undefined ? undefined : forge.table.get<Team>(teamKey(id, guard.teamId));
}

const numbersIn = (
  numbers: NumbersByRepository | undefined,
  { repository }: RepositoryAccess,
): IssueFilter => (numbers === undefined ? {} : { numbers: numbers.get(repository.id) ?? new Set() });

/** The matches of one repository: as many as the page may need, with the key that merges them. */
interface FoundThere extends Matches {
  readonly access: RepositoryAccess;
  readonly ids: readonly number[];
  readonly versions: readonly number[];
  readonly keys: readonly number[];
  readonly isExact: boolean;
}

async function findIn(
  forge: Forge,
  access: CountedRepository,
  asked: IssueSearch,
  only: IssueFilter,
): Promise<FoundThere> {
  const { createdBy: _, words = "", order, page, limit, ...query } = asked;
  const { repository, counts } = access;
  const none = { access, ids: [], versions: [], keys: [], total: 0, isExact: true };
  const filter = await filterOf(forge, access, { ...query, isAnyLabel: true });
  if (filter === undefined || sumMatching(counts, {}) === 0) return none;
  const found = words.trim() === "" ? undefined : await searchWords(forge, repository.id, words);
  const numbers = inBoth(only.numbers, found?.numbers);
  const isExact = found?.isExact ?? true;
  if (numbers?.size === 0) return { ...none, isExact };
  const sort = await sortOf(forge, repository.id, order);
  const listed = await listFromIndex(forge, issueIndex(repository.id), {
    filter: { ...filter, ...only, ...defined({ numbers }) },
    ...{ sort, page: 1, limit: page * limit, keyOf: orderAcross(sort).keyOf },
    withVersions: true,
    countTotal: async () => sumMatching(counts, filter),
  });
  const { ids, versions = [], keys = [], total } = listed;
  return { access, ids, versions, keys, total, isExact };
}

interface Candidate extends IssueAddress {
  readonly access: RepositoryAccess;
  readonly version: number | undefined;
  readonly key: number;
}

/** One page of the repositories' matches; equal ones by repository, each repository's in its own order. */
function newestOf(found: readonly FoundThere[], { order, page, limit }: IssueSearch): Candidate[] {
  const { isDescending } = orderAcross({ by: order });
  const all = found.flatMap(({ access, ids, versions, keys }) =>
    ids.map((number, at): Candidate => {
      const repositoryId = access.repository.id;
      return { access, repositoryId, number, version: versions[at], key: keys[at] ?? 0 };
    }),
  );
  const direction = isDescending ? -1 : 1;
  all.sort((one, other) =>
    one.key === other.key
      ? other.repositoryId - one.repositoryId
      : direction * (one.key < other.key ? -1 : 1),
  );
  return rowsOfPage(all, { page, limit });
}

/** The issues of a page, without those that were removed meanwhile. */
async function load({ table }: Forge, page: readonly Candidate[]): Promise<FoundIssue[]> {
  const keyOf = ({ repositoryId, number }: Candidate) => issueKey(repositoryId, number);
  const found = await readListed(
    table,
    page.map((one) => ({ ...keyOf(one), version: one.version })),
  );
  return page.flatMap((one) => {
    const issue = found.get(keyText(keyOf(one))) as Issue | undefined;
    return issue === undefined ? [] : { issue, access: one.access };
  });
}
