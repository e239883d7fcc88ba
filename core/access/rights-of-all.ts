import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import type { Repository } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { isAcquainted } from "./acquaintance.ts";
import { collaborationFrom, collaborationKeys, teamKeys, teamsFrom } from "./grants.ts";
import type { Rights } from "./modes.ts";
import { rightsOn } from "./rights.ts";
import { maySeeUser } from "./visibility.ts";

/**
 * What each of some users may do on a repository, by user id: for telling many people of something. One request for
 * each 30 users; a hidden owner takes a few more for each.
 */
export async function rightsOfAll(
  forge: Forge,
  repository: Repository,
  users: readonly User[],
): Promise<Map<number, Rights>> {
  const { id, ownerId } = repository;
  const actors = users.map((user) => ({ user }));
  const keys = actors.flatMap((actor) => [
    ...collaborationKeys(actor, id, ownerId),
    ...teamKeys(actor, ownerId),
  ]);
  const found = await forge.table.getAll([ownerKey(ownerId), ...keys]);
  const owner = found.get(keyText(ownerKey(ownerId))) as Owner | undefined;
  if (owner === undefined) return new Map();
  const rights = await Promise.all(
    actors.map(async (actor) => {
      const isHidden = owner.kind === "user" && !maySeeUser(actor, owner);
      const teams = owner.kind === "user" ? [] : teamsFrom(actor, ownerId, found);
      return rightsOn(forge, actor, repository, owner, {
        teams,
        collaboration: collaborationFrom(actor, repository, teams, found),
        isAcquainted: isHidden && (await isAcquainted(forge, actor, ownerId)),
      });
    }),
  );
  return new Map(users.map((user, at) => [user.id, rights[at] as Rights]));
}
