import { send } from "#core/events/outbox";
import type { Forge } from "#core/forge";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { followBases } from "#core/pull/follow/follow-base";
import { followersJob, pusherById } from "#core/pull/follow/follow-jobs";
import { followPushOf } from "#core/pull/follow/follow-push";
import type { EventOf } from "./event-shapes.ts";

/**
 * Lets the requests that did not follow a push while the pusher waited follow it; then looks at the newest requests
 * into the branches. May be repeated.
 */
export async function followPulls(
  forge: Forge,
  { repositoryId, actorId, eventId, renamed }: EventOf<"push">,
  changes: readonly LoggedChange[],
): Promise<void> {
  const findActor = () => pusherById(forge, actorId);
  for (const rest of await followPushOf(forge, { repositoryId, changes, renamed }, findActor)) {
    const job = followersJob(forge, eventId, rest);
    if (await forge.table.write(job.write)) await send(forge, [job.message]);
  }
  await followBases(forge, repositoryId, changes, findActor);
}
