import { accessMode, modeOf } from "../access/modes.ts";
import { findAccessById } from "../access/repository-access.ts";
import { isAmong } from "../branch-protection/allowed.ts";
import type { BranchProtection } from "../branch-protection/branch-protection.table.ts";
import { listBranchProtections } from "../branch-protection/branch-protection.ts";
import { ruleFinder } from "../branch-protection/rule-for.ts";
import type { Forge } from "../forge.ts";
import { MatchTime } from "../pattern/match-time.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import type { Repository } from "../repository/repository.table.ts";
import type { Team } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";

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

/** The same of a team that is asked. */
export function isOfficialTeam({ id, units }: Team, rule: BranchProtection | undefined): boolean {
  if (rule?.approvers !== undefined) return rule.approvers.teamIds.includes(id);
  return accessMode[units.code ?? "none"] >= accessMode.write;
}
