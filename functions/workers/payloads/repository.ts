import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import { findEventDetail } from "#core/hook/event-detail";
import type { RepositoryForkedEvent, WikiEvent } from "#core/hook/events";
import { presentOwner } from "../../api/organization/present.ts";
import { presentRepository } from "../../api/repository/present.ts";
import { findSubject, type Subject } from "./subject.ts";

/** The notice about a created or deleted repository for hooks. `organization` is the owner, also when it is a user. */
export function repositoryNotice({ view, details, sender }: Subject, action: "created" | "deleted"): Notice {
  const payload = {
    action,
    repository: presentRepository(view, details),
    organization: presentOwner(view, details.owner),
    sender,
  };
  return { eventType: "repository", what: action, payloadFor: () => payload };
}

/**
 * The notice about a fork for the source's hooks: `forkee` is the source, as in the family. None when the fork is gone.
 */
export async function forkNotice(
  forge: Forge,
  { forkId, actorId }: RepositoryForkedEvent,
  { view, details, sender }: Subject,
): Promise<Notice[]> {
  const fork = await findSubject(forge, { repositoryId: forkId, actorId });
  if (fork === undefined) return [];
  const payload = {
    forkee: presentRepository(view, details),
    repository: presentRepository(view, fork.details),
    sender,
  };
  return [{ eventType: "fork", what: `fork ${forkId}`, payloadFor: () => payload }];
}

/** The notice about a written or removed page of the wiki for hooks (semantics §65.2). */
export async function wikiNotice(
  forge: Forge,
  { action, eventId }: WikiEvent & { readonly eventId: string },
  { view, details, sender }: Subject,
): Promise<Notice> {
  const { title: page = "", body: comment = "" } = await findEventDetail(forge, eventId);
  const payload = { action, repository: presentRepository(view, details), sender, page, comment };
  return { eventType: "wiki", what: `wiki ${action}`, payloadFor: () => payload };
}
