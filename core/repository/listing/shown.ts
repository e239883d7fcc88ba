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
  /** Which of these have what the list is about: asked of the last updated ones, before anything of them is read. */
  readonly having?: (repositoryIds: readonly number[]) => Promise<ReadonlySet<number>>;
}

/** Repositories that one list looks into, those that were updated last (D-TOTAL). */
export const mostRepositories = 200;

/** Of so many repositories at most it is asked what they have. */
const mostAsked = 1_000;

/**
 * The repositories that the caller may see, last updated first, at most `most` of them: for lists of what lies in
 * repositories. The total counts all; more than `most` when they were too many to ask.
 */
export async function listShownRepositories(
  forge: Forge,
  actor: Actor | undefined,
  { ids, ownerId, teamId, having }: ShownFilter,
  most: number,
): Promise<{ readonly items: RepositoryAccess[]; readonly total: number }> {
  const rules = await findListingRules(forge, actor);
  const filter = {
    ...defined({ ids, teamId, ownerIds: ownerId === undefined ? undefined : new Set([ownerId]) }),
    accepts: rules.isListed,
  };
  const order = { by: "updated", isDescending: true } as const;
  const limit = having === undefined ? most : mostAsked;
  const { references, total } = await findCandidates(forge, filter, order, { page: 1, limit });
  const has = having && (await having(references.map(({ repositoryId }) => repositoryId)));
  const kept = has === undefined ? references : references.filter((one) => has.has(one.repositoryId));
  const items = await findAllVisible(forge, actor, kept.slice(0, most), rules);
  return { items, total: has === undefined || total > mostAsked ? total : kept.length };
}
