import type { Actor } from "../actor.ts";
import { followKey } from "../follow/follow.table.ts";
import type { Forge } from "../forge.ts";
import { type MembershipMirror, membershipMirrorsOf } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import { findAccessLists } from "./access-lists.ts";
import { liveTeams } from "./grants.ts";
import { maySeeUser } from "./visibility.ts";

/** Ids begin at 1, so nothing is ever stored under this one. */
export const nobody = 0;

/**
 * Whether the caller may know of a user, shared organizations included (semantics §3.4). An absent user costs as many
 * requests as a hidden one.
 */
export async function isKnown(
  forge: Forge,
  actor: Actor | undefined,
  user: User | undefined,
): Promise<boolean> {
  if (user !== undefined && maySeeUser(actor, user)) return true;
  return isAcquainted(forge, actor, user?.id ?? nobody);
}

/** Whether this user follows the caller, or the two are members of one organization. */
export async function isAcquainted(forge: Forge, actor: Actor | undefined, userId: number): Promise<boolean> {
  if (actor === undefined || actor.user.isAdmin) return false;
  const [isFollowed, ...mirrors] = await Promise.all([
    forge.table.get(followKey(userId, actor.user.id)),
    ...[actor.user.id, userId].map((id) => forge.table.queryAll<MembershipMirror>(membershipMirrorsOf(id))),
  ]);
  if (isFollowed !== undefined) return true;
  const [own, others] = mirrors;
  const theirs = new Map((others ?? []).map((mirror) => [mirror.organizationId, mirror]));
  const shared = (own ?? []).flatMap((mirror) => {
    const other = theirs.get(mirror.organizationId);
    return other === undefined ? [] : [[mirror, other] as const];
  });
  const lists = await findAccessLists(
    forge,
    shared.map(([{ organizationId }]) => organizationId),
  );
  return shared.some((both) =>
    both.every((mirror) => liveTeams(mirror, lists.get(mirror.organizationId)).length > 0),
  );
}
