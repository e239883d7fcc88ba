import type { Actor } from "../actor.ts";
import { type Follow, followersOf } from "../follow/follow.table.ts";
import type { Forge } from "../forge.ts";
import type { OwnerView } from "../owner/owner.index.ts";
import { type Membership, membershipsOf } from "../team/team.table.ts";
import { findAccessLists } from "./access-lists.ts";
import { liveTeams } from "./grants.ts";
import { isPublic } from "./public-only.ts";
import { maySeeUser } from "./visibility.ts";
import { findVisibleRepositoriesOf, type VisibleRepositories } from "./visible-repositories.ts";

/**
 * A test whether a user may be shown in the caller's lists of users. It reads once, strongly, what the caller may know.
 */
export async function findUserTest(
  forge: Forge,
  actor: Actor | undefined,
): Promise<(user: Pick<OwnerView, "id" | "visibility">) => boolean> {
  if (actor?.grant?.isPublicOnly === true) return (user) => isPublic({ owner: user });
  const isTold = actor === undefined || actor.user.isAdmin;
  const acquaintances = isTold
    ? new Set<number>()
    : await findAcquaintances(forge, actor, await findVisibleRepositoriesOf(forge, actor));
  return (user) => maySeeUser(actor, user) || acquaintances.has(user.id);
}

/**
 * All private users that the caller may know of: members of the caller's organizations, and the caller's followers
 * (semantics §3.4).
 */
export async function findAcquaintances(
  forge: Forge,
  { user }: Actor,
  { teams }: VisibleRepositories,
): Promise<ReadonlySet<number>> {
  const ids = [...teams.keys()];
  const [memberships, lists, followers] = await Promise.all([
    Promise.all(ids.map((id) => forge.table.queryAll<Membership>(membershipsOf(id)))),
    findAccessLists(forge, ids),
    forge.table.queryAll<Follow>(followersOf(user.id)),
  ]);
  const fellows = memberships.flatMap((members, place) =>
    members.filter((one) => liveTeams(one, lists.get(ids[place] ?? 0)).length > 0),
  );
  return new Set([...fellows, ...followers].map(({ userId }) => userId));
}
