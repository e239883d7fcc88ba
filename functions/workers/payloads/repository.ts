import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import { findEventDetail } from "#core/hook/event-detail";
import type { RepositoryForkedEvent, WikiEvent } from "#core/hook/events";
import { presentOwner } from "../../api/organization/present.ts";
import { presentRepository } from "../../api/repository/present.ts";
import { findSubject, type Subject } from "./subject.ts";

/** What hooks are told of a repository that came or goes. `organization` is the owner, also when it is a user. */
export function repositoryNotice({ view, details, sender }: Subject, action: "created" | "deleted"): Notice {
  const payload = {
    action,
    repository: presentRepository(view, details),
    organization: presentOwner(view, details.owner),
    sender,
  };
  return { eventType: "repository", what: action, payloadFor: () => payload };
}

/** What hooks of the source are told of a fork: `forkee` is the source, as in the family. Nothing when the fork is gone. */
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

/** What hooks are told of a page of the wiki that was written or removed (semantics §65.2). */
export async function wikiNotice(
  forge: Forge,
  { action, eventId }: WikiEvent & { readonly eventId: string },
  { view, details, sender }: Subject,
): Promise<Notice> {
  const { title: page = "", body: comment = "" } = await findEventDetail(forge, eventId);
  const payload = { action, repository: presentRepository(view, details), sender, page, comment };
  return { eventType: "wiki", what: `wiki ${action}`, payloadFor: () => payload };
}
