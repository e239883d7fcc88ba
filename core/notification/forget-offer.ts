import type { Forge } from "../forge.ts";
import type { JobKind } from "../jobs/job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { check } from "../table/write.ts";
import { namedUsers } from "./audience.ts";
import { removeNotifications } from "./internal/remove-notifications.ts";
import type { EndedOffer } from "./news.ts";
import { type Notification, notificationKey, type SubjectRow, subjectRowKey } from "./notification.table.ts";

/**
 * Removes what the recipient of a rejected repository, or those who might have taken it for an organization, were told
 * of it (semantics §54). They keep it when it is offered to them again, or theirs, by now. May be repeated.
 */
export const forgetOffer: JobKind<EndedOffer & Record<string, number | string>, { readonly none: true }> = {
  async step(forge, { repositoryId, recipientId, recipientKind }) {
    const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
    if (repository?.state !== "live") return { done: true };
    const { ownerId, transfer } = repository;
    if (ownerId === recipientId || transfer?.recipientId === recipientId) return { done: true };
    const named = recipientKind === "user" ? { userIds: [recipientId] } : { organizationId: recipientId };
    const userIds = (await namedUsers(forge, named)) ?? [];
    const isAsRead = check(repositoryKey(repositoryId), equals({ ownerId, transfer }));
    await removeNotifications(forge, await toldOf(forge, repositoryId, userIds), isAsRead);
    return { done: true };
  },
};

/** The notifications of these users about the repository itself. */
async function toldOf(
  { table }: Forge,
  repositoryId: number,
  userIds: readonly number[],
): Promise<Notification[]> {
  if (userIds.length === 0) return [];
  const rows = await table.getAll<SubjectRow>(userIds.map((id) => subjectRowKey({ repositoryId }, id)));
  if (rows.size === 0) return [];
  const keys = [...rows.values()].map(({ userId, id }) => notificationKey(userId, id));
  return [...(await table.getAll<Notification>(keys)).values()];
}
