import type { Actor } from "../actor.ts";
import { assetsLeavingUsageWrites, attachmentLeavingWrites } from "../attachment/write.ts";
import type { Forge } from "../forge.ts";
import { eventDetail } from "../hook/event-detail.ts";
import { tombstoneWrite } from "../list-index/list-index.ts";
import { usageHolderOf } from "../quota/usage.ts";
import { equals } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import { requireUnprotectedTag } from "../tag/tag.ts";
import { releaseIndex } from "./release.index.ts";
import { type Release, releaseKey } from "./release.table.ts";
import { getRelease, type ReleaseAccess } from "./release.ts";
import { leaveTag, type ReleaseChange, ReleaseEvents, untilWritten } from "./write.ts";

/**
 * Removes a release with its assets; the tag stays in git. NotFound when there is none; 422 for a published one when a
 * rule keeps its tag from the actor.
 */
export async function removeRelease(
  forge: Forge,
  access: ReleaseAccess,
  actor: Actor,
  id: number,
): Promise<void> {
  const { repository } = access;
  const events = new ReleaseEvents(forge, actor);
  await untilWritten(forge, repository, async (write) => {
    const release = await getRelease(forge, access, id);
    if (!release.isDraft) await requireUnprotectedTag(forge, repository, actor, release.tagName);
    return (await write(await removalOf(forge, release, events))) || undefined;
  });
}

async function removalOf(forge: Forge, release: Release, events: ReleaseEvents): Promise<ReleaseChange> {
  const { repositoryId, number, isDraft, v, assets, assetChanges, attachmentIds = [] } = release;
  const ofUsage =
    assets === 0 ? [] : assetsLeavingUsageWrites((await usageHolderOf(forge, repositoryId)).ownerId, release);
  const told = isDraft ? [] : [eventDetail(forge, events.eventId, { removed: release })];
  return {
    release,
    published: isDraft ? 0 : -1,
    writes: [
      remove(releaseKey(repositoryId, number), equals({ v, assetChanges })),
      leaveTag(release),
      tombstoneWrite(releaseIndex(repositoryId), number, release, v + 1),
      ...ofUsage,
      ...attachmentLeavingWrites(forge, repositoryId, [...attachmentIds]),
      ...told,
    ],
    events: isDraft ? [] : [events.of(release, "deleted")],
  };
}
