import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table/write.ts";
import { type AccessList, accessListKey, type Membership, membershipKey } from "../team/team.table.ts";
import { liveTeams } from "./grants.ts";
import type { TeamRights } from "./team-rights.ts";

/** The teams of an organization that a user is in, whoever the user is; none of a user's own repositories. */
export async function findOwnTeams(
  forge: Forge,
  organizationId: number,
  { user }: Actor,
): Promise<readonly TeamRights[]> {
  const [membership, list] = [membershipKey(organizationId, user.id), accessListKey(organizationId)];
  const found = await forge.table.getAll([membership, list]);
  return liveTeams(
    found.get(keyText(membership)) as Membership | undefined,
    found.get(keyText(list)) as AccessList | undefined,
  );
}

/** Their ids. */
export const findTeamsOf = async (forge: Forge, organizationId: number, actor: Actor): Promise<number[]> =>
  (await findOwnTeams(forge, organizationId, actor)).map(({ id }) => id);
