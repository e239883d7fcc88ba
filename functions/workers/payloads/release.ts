import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import { findEventDetail } from "#core/hook/event-detail";
import type { ReleaseEvent } from "#core/hook/events";
import { findRelease } from "#core/release/release";
import type { Release } from "#core/release/release.table";
import { showRelease } from "../../api/release/show.ts";
import { presentRepository } from "../../api/repository/present.ts";
import type { IsWanted } from "./push.ts";
import type { Subject } from "./subject.ts";

/** The notice about a release for hooks, as it is now or was when it was removed; none when it is gone. */
export async function releaseNotice(
  forge: Forge,
  event: ReleaseEvent & { readonly eventId: string },
  { view, details, sender }: Subject,
  isWanted: IsWanted,
): Promise<Notice[]> {
  const eventType = "release";
  if (!(await isWanted({ eventType }))) return [];
  const { action, number, repositoryId, eventId } = event;
  const { removed } = action === "deleted" ? await findEventDetail(forge, eventId) : {};
  const release = (removed as Release | undefined) ?? (await findRelease(forge, repositoryId, number));
  if (release === undefined) return [];
  const payload = {
    action,
    release: await showRelease(forge, view, details, release),
    repository: presentRepository(view, details),
    sender,
  };
  return [{ eventType, what: action, payloadFor: () => payload }];
}
