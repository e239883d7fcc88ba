import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { keyText } from "../table/write.ts";
import {
  type Activity,
  activitiesIn,
  activityKeys,
  commitsKey,
  ownerActivities,
  repositoryActivities,
} from "./activity.table.ts";

const activitiesPerStep = 100;

/** Removes some of what happened in a hidden repository, at its users and organizations first. */
export const emptyRepositoryOfActivities = (forge: Forge, repositoryId: number): Promise<PartStep> =>
  removeSome(forge, repositoryActivities(repositoryId));

/**
 * Removes some of what a deleted user did, at the repositories and organizations first, or of what happened in a deleted
 * organization's repositories.
 */
export const forgetSomeActivitiesOf = (forge: Forge, ownerId: number): Promise<PartStep> =>
  removeSome(forge, ownerActivities(ownerId));

/** Of one partition and, before that, of others: after a crash this one still leads to them. */
async function removeSome(forge: Forge, pk: string): Promise<PartStep> {
  const { table } = forge;
  const { items } = await table.query<Activity>({ ...activitiesIn(pk), limit: activitiesPerStep });
  if (items.length === 0) return removePage(forge, { pk });
  const own = new Set(items.map(keyText));
  const keys = items.flatMap((one) => [...activityKeys(one), commitsKey(one)]);
  await table.removeAll(keys.filter((key) => !own.has(keyText(key))));
  await table.removeAll(items);
  return { hasFound: true, hasMore: true };
}
