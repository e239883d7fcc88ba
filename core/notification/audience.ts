import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { type Issue, issuePartition, type Subscription, subscriptionsOf } from "../issue/issue.table.ts";
import { mentionPrefix } from "../reference/reference.table.ts";
import { type StarOrWatch, starsAndWatchesOfRepository } from "../star-watch/star-watch.table.ts";
import type { Item } from "../table/write.ts";
import { listTeams } from "../team/list.ts";
import { listTeamMembers } from "../team/members.ts";
import type { News } from "./news.ts";
import { participantsOf } from "./notification.table.ts";
import type { Subject } from "./receivers.ts";

/** Users of one step. */
const usersPerStep = 500;
/** The most members of a team, or of an organization, that are told of what is asked of it. */
const mostMembers = 500;

/** Where the walk over those who hear of an issue goes on: in which list, and behind which key. */
export interface AudienceCursor {
  readonly list: number;
  readonly after?: string;
  /** How many mails the news took so far. */
  readonly mails?: number;
}

/** Some of those who hear of news; `next` is where the others follow. */
export interface Audience {
  readonly userIds: readonly number[];
  readonly next?: AudienceCursor;
}

/** The users whom news name themselves, who are few; undefined when everybody hears of them. */
export async function namedUsers(
  forge: Forge,
  { userIds, teamId, organizationId }: Pick<News, "userIds" | "teamId" | "organizationId">,
): Promise<readonly number[] | undefined> {
  if (userIds !== undefined) return userIds;
  if (teamId !== undefined) return (await listTeamMembers(forge, { id: teamId })).slice(0, mostMembers);
  if (organizationId === undefined) return undefined;
  const teams = await listTeams(forge, organizationId);
  const creating = teams.filter((team) => team.mode === "owner" || team.mayCreateRepositories);
  const members = await Promise.all(creating.map((team) => listTeamMembers(forge, team)));
  return [...new Set(members.flat())].slice(0, mostMembers);
}

type HearingItem = Item & Partial<Subscription & StarOrWatch> & { readonly userId: number };

/**
 * The next users who hear of an issue, 500 at most: its author and assignees, those who take part, whom texts mention,
 * who chose to hear of it, and who watch the repository. Somebody may come in several lists. Of a release those who
 * watch the repository.
 */
export async function readAudience(
  forge: Forge,
  { repository, issue }: Subject,
  from: AudienceCursor,
): Promise<Audience> {
  const watchers = starsAndWatchesOfRepository("watch", repository.id);
  const lists = issue === undefined ? [watchers] : [...listsOf(issue), watchers];
  const isBeginning = from.list === 0 && from.after === undefined;
  const userIds = isBeginning && issue !== undefined ? [issue.authorId, ...issue.assigneeIds] : [];
  let { after } = from;
  for (const [list, run] of lists.entries()) {
    if (list < from.list) continue;
    const limit = usersPerStep - userIds.length;
    if (limit <= 0) return { userIds, next: { list } };
    const page = await forge.table.query<HearingItem>({ ...run, limit, ...defined({ after }) });
    userIds.push(...page.items.filter(hears).map(({ userId }) => userId));
    if (page.next !== undefined) return { userIds, next: { list, after: page.next } };
    after = undefined;
  }
  return { userIds };
}

const listsOf = ({ repositoryId, number }: Issue) => [
  participantsOf(repositoryId, number),
  { pk: issuePartition(repositoryId, number), prefix: mentionPrefix },
  subscriptionsOf(repositoryId, number),
];

/** Those who chose not to hear of it, or refused to watch, lie among the others. */
const hears = ({ isSubscribed, mode }: HearingItem): boolean => isSubscribed !== false && mode !== "refused";
