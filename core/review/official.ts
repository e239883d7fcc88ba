import { accessMode, modeOf, type Rights } from "../access/modes.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import { teamIncludes } from "../access/rights.ts";
import { rightsOfAll } from "../access/rights-of-all.ts";
import { isAmong } from "../branch-protection/allowed.ts";
import type { BranchProtection } from "../branch-protection/branch-protection.table.ts";
import { listBranchProtections } from "../branch-protection/branch-protection.ts";
import { ruleFinder } from "../branch-protection/rule-for.ts";
import type { Forge } from "../forge.ts";
import { MatchTime } from "../pattern/match-time.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import type { Repository } from "../repository/repository.table.ts";
import { findOwnersTeams } from "../team/of-owner.ts";
import type { Team } from "../team/team.table.ts";
import { findUsersById } from "../user/find.ts";
import type { User } from "../user/user.table.ts";
import type { Review } from "./review.table.ts";

/** The rule that protects the base of a request; undefined when none does. */
export async function ruleOfBase(
  forge: Forge,
  { repositoryId, pull }: PullRequest,
): Promise<BranchProtection | undefined> {
  const rules = await listBranchProtections(forge, repositoryId);
  return rules.length === 0 ? undefined : ruleFinder(rules, new MatchTime())(pull.base);
}

/** Whether the rule counts the reviews of a user; without a list of reviewers, and without a rule, those of code writers. */
export async function isOfficialReviewer(
  forge: Forge,
  { id, ownerId }: Pick<Repository, "id" | "ownerId">,
  user: User,
  rule: BranchProtection | undefined,
): Promise<boolean> {
  if (rule?.approvers !== undefined) return isAmong(forge, ownerId, { user }, rule.approvers);
  const access = await findAccessById(forge, { user }, id, ownerId);
  return access !== undefined && modeOf(access.rights, "code") >= accessMode.write;
}

/** The same for an asked team: it must have the repository. */
export function isOfficialTeam(
  repository: Pick<Repository, "teamIds">,
  team: Team,
  rule: BranchProtection | undefined,
): boolean {
  if (!teamIncludes(team, repository)) return false;
  if (rule?.approvers !== undefined) return rule.approvers.teamIds.includes(team.id);
  return (
    accessMode[team.mode] >= accessMode.admin || accessMode[team.units.code ?? "none"] >= accessMode.write
  );
}

/**
 * The official reviews, and requests for one, whose reviewer may still give one. Users who lost their rights, were
 * deactivated or are gone neither keep a merge waiting nor let one through. A rule that names its reviewers asks them
 * to read alone, and counts nobody else: an approval may have been given under another rule, before the request got
 * another base.
 */
export async function stillOfficial(
  forge: Forge,
  repository: Repository,
  reviews: readonly Review[],
  rule: BranchProtection | undefined,
): Promise<ReadonlySet<Review>> {
  const official = reviews.filter(({ isOfficial }) => isOfficial);
  if (official.length === 0) return new Set();
  const ofUsers = official.filter(({ teamId }) => teamId === undefined);
  const [users, teams] = await Promise.all([
    findUsersById(forge, [...new Set(ofUsers.map(({ reviewerId }) => reviewerId))]),
    findOwnersTeams(
      forge,
      repository.ownerId,
      official.flatMap(({ teamId }) => teamId ?? []),
    ),
  ]);
  const active = [...users.values()].filter(({ isActive }) => isActive);
  const rights = await rightsOfAll(forge, repository, active);
  const needed = rule?.approvers === undefined ? writesCode : readsPulls;
  const named = await namedBy(forge, repository, active, rule);
  const counts = ({ teamId, reviewerId }: Review) => {
    const team = teams.get(teamId ?? 0);
    if (teamId !== undefined) return team !== undefined && isOfficialTeam(repository, team, rule);
    const theirs = rights.get(reviewerId);
    return theirs !== undefined && needed(theirs) && named.has(reviewerId);
  };
  return new Set(official.filter(counts));
}

/** The ids of those users whose reviews a rule counts by its list: of all when it has none. */
async function namedBy(
  forge: Forge,
  { ownerId }: Repository,
  users: readonly User[],
  rule: BranchProtection | undefined,
): Promise<ReadonlySet<number>> {
  const isNamed = (user: User) =>
    rule?.approvers === undefined || isAmong(forge, ownerId, { user }, rule.approvers);
  const named = await Promise.all(users.map(isNamed));
  return new Set(users.filter((_user, at) => named[at]).map(({ id }) => id));
}

const writesCode = (rights: Rights) => modeOf(rights, "code") >= accessMode.write;
const readsPulls = (rights: Rights) => modeOf(rights, "pulls") >= accessMode.read;

/** The same by the rule of the request's base, which is read when a review is official. */
export const findStillOfficial = async (
  forge: Forge,
  { repository }: Pick<RepositoryAccess, "repository">,
  pull: PullRequest,
  reviews: readonly Review[],
): Promise<ReadonlySet<Review>> =>
  reviews.some(({ isOfficial }) => isOfficial)
    ? stillOfficial(forge, repository, reviews, await ruleOfBase(forge, pull))
    : new Set();
