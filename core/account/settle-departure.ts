import { findAccessById } from "../access/repository-access.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { isAssignable } from "../issue/assignees/assignees.ts";
import { assignedIssuesOf, type UserIssueRow } from "../issue/issue.table.ts";
import { unassignUser } from "../issue/removal/purge.ts";
import type { Departure } from "../jobs/departure.ts";
import type { JobKind } from "../jobs/job.ts";
import type { PartCursor } from "../jobs/passes.ts";
import { forgetHiddenNotificationsAtOwner } from "../notification/forget.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { forgetHiddenStarsAndWatchesAtOwner } from "../star-watch/star-watch.ts";
import { keyText } from "../table/write.ts";
import type { User } from "../user/user.table.ts";

const rowsPerStep = 100;

/** Stars and watches come first, then notifications, then assignments. */
interface DepartureCursor {
  /** Where the walk over what the user was told goes on; empty at its beginning. */
  readonly told?: PartCursor;
  /** Where the walk over their assignments goes on. */
  readonly after?: string;
}

/**
 * Ends what a user's lost rights make meaningless: stars and watches on repositories that they may not see, what they
 * were told of these, and assignments. A former collaborator loses assignments that they may not have any more
 * (semantics §3.6), somebody who left a team those on repositories that they may not see (semantics §25). May be
 * repeated.
 */
export const settleDeparture: JobKind<Departure & Record<string, number>, DepartureCursor> = {
  async step(forge, departure, cursor) {
    const user = await forge.table.get<User>(ownerKey(departure.userId));
    if (user?.kind !== "user") return { done: true };
    if (cursor === undefined) {
      await forgetHiddenStarsAndWatchesAtOwner(forge, user.id, departure.ownerId);
      return { cursor: { told: "" } };
    }
    if (cursor.told !== undefined) {
      const { ownerId } = departure;
      const from = cursor.told || undefined;
      const { hasMore, inner = "" } = await forgetHiddenNotificationsAtOwner(forge, user, ownerId, from);
      return { cursor: hasMore ? { told: inner } : {} };
    }
    const page = await forge.table.query<UserIssueRow>({
      ...assignedIssuesOf(user.id),
      limit: rowsPerStep,
      ...defined({ after: cursor.after }),
    });
    const lost = await lostAmong(forge, departure, user, page.items);
    for (const row of page.items) if (lost.has(row.repositoryId)) await unassignUser(forge, row, user.id);
    return page.next === undefined ? { done: true } : { cursor: { after: page.next } };
  },
};

/** The repositories of these rows where an assignment of the user means nothing any more. */
async function lostAmong(
  forge: Forge,
  { ownerId, repositoryId }: Departure,
  user: User,
  rows: readonly UserIssueRow[],
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(rows.map((row) => row.repositoryId))].filter(
    (id) => repositoryId === undefined || id === repositoryId,
  );
  const found = await forge.table.getAll<Repository>(ids.map(repositoryKey));
  const lost = new Set<number>();
  for (const id of ids) {
    if (found.get(keyText(repositoryKey(id)))?.ownerId !== ownerId) continue;
    const stays =
      repositoryId === undefined
        ? (await findAccessById(forge, { user }, id, ownerId)) !== undefined
        : await isAssignable(forge, { id, ownerId }, user);
    if (!stays) lost.add(id);
  }
  return lost;
}
