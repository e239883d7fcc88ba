import { findListingRules } from "../../access/listed-repositories.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import { findAllVisible } from "../details.ts";
import { findCandidates } from "./page.ts";

/** Filters for repositories; absent members rule nothing out. */
export interface ShownFilter {
  readonly ids?: ReadonlySet<number>;
  readonly ownerId?: number;
  /** Repositories that this team was given one by one. */
  readonly teamId?: number;
}

/**
 * The repositories that the caller may see, last updated first, at most `most` of them: for lists of what lies in
 * repositories. The total counts all.
 */
export async function listShownRepositories(
  forge: Forge,
  actor: Actor | undefined,
  { ids, ownerId, teamId }: ShownFilter,
  most: number,
): Promise<{ readonly items: RepositoryAccess[]; readonly total: number }> {
  const rules = await findListingRules(forge, actor);
  const filter = {
    ...defined({ ids, teamId, ownerIds: ownerId === undefined ? undefined : new Set([ownerId]) }),
    accepts: rules.isListed,
  };
  const order = { by: "updated", isDescending: true } as const;
  const { references, total } = await findCandidates(forge, filter, order, { page: 1, limit: most });
  return { items: await findAllVisible(forge, actor, references, rules), total };
}
