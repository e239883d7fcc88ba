import { liveTeams } from "../access/grants.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table/write.ts";
import { type AccessList, accessListKey, type Membership, membershipKey } from "../team/team.table.ts";
import type { Allowed, BranchProtection } from "./branch-protection.table.ts";

/** Whether a user is named, or in a team that is. */
export async function isAmong(
  forge: Forge,
  ownerId: number,
  actor: Actor,
  allowed: Allowed,
): Promise<boolean> {
  if (allowed.userIds.includes(actor.user.id)) return true;
  if (allowed.teamIds.length === 0) return false;
  const keys = [membershipKey(ownerId, actor.user.id), accessListKey(ownerId)] as const;
  const found = await forge.table.getAll(keys);
  const membership = found.get(keyText(keys[0])) as Membership | undefined;
  const list = found.get(keyText(keys[1])) as AccessList | undefined;
  return liveTeams(membership, list).some(({ id }) => allowed.teamIds.includes(id));
}

/** Whether a rule lets a user push who has write rights; administrators are no exception. */
export async function mayPushByRule(
  forge: Forge,
  ownerId: number,
  actor: Actor,
  rule: BranchProtection,
): Promise<boolean> {
  if (!rule.allowsPush) return false;
  return rule.pushers === undefined || isAmong(forge, ownerId, actor, rule.pushers);
}
