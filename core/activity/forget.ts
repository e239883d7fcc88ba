import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { exists } from "../table/condition.ts";
import { keyText, type TableKey, update } from "../table/write.ts";
import {
  type Activity,
  activitiesIn,
  activityKeys,
  commitsKey,
  countName,
  type HourCount,
  hourKey,
  ownerActivities,
  repositoryActivities,
} from "./activity.table.ts";
import { unitOf } from "./activity-types.ts";

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

/** Removes activities of one partition. Their copies elsewhere go first: after a crash only these lead to them. */
async function removeSome(forge: Forge, pk: string): Promise<PartStep> {
  const { table } = forge;
  const { items } = await table.query<Activity>({ ...activitiesIn(pk), limit: activitiesPerStep });
  if (items.length === 0) return removePage(forge, { pk });
  const own = new Set(items.map(keyText));
  const keys = items.flatMap((one) => [...activityKeys(one), commitsKey(one)]);
  await removeCounts(forge, items, pk);
  await table.removeAll(keys.filter((key) => !own.has(keyText(key))));
  await table.removeAll(items);
  return { hasFound: true, hasMore: true };
}

/** Removes what hours in other partitions than this one count of activities. */
async function removeCounts({ table }: Forge, activities: readonly Activity[], pk: string): Promise<void> {
  const counted = activities.flatMap((activity) => {
    const name = countName({ ...activity, unit: unitOf(activity.type) });
    return hoursOf(activity)
      .filter((key) => key.pk !== pk)
      .map((key) => ({ key, name }));
  });
  const hours = await table.getAll<HourCount>(counted.map(({ key }) => key));
  for (const [text, hour] of hours) {
    const names = counted.filter(({ key, name }) => keyText(key) === text && name in hour);
    const unset = [...new Set(names.map(({ name }) => name))];
    if (unset.length > 0) await table.write(update(hour, { unset }, exists));
  }
}

/** The hours that may count an activity: whether its repository was private then isn't known any more. */
const hoursOf = ({ actorId, organizationId, at }: Activity): TableKey[] =>
  [...(actorId > 0 ? [actorId] : []), ...(organizationId === undefined ? [] : [organizationId])].flatMap(
    (ownerId) => [hourKey(ownerId, at, false), hourKey(ownerId, at, true)],
  );
