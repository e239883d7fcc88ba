import { type OutboxEntry, outbox } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import type { Repository } from "../../repository/repository.table.ts";
import { isActionsOn } from "../actions-on.ts";

/** The kind of the message that the plans of a repository may have to go or to come. */
export const plansMessageKind = "settle-plans";

/**
 * The message for the transaction of an edit that switches workflows on or off, or makes another branch the default
 * (semantics §11.3); undefined when it does neither.
 */
export function plansMessage(forge: Forge, before: Repository, after: Repository): OutboxEntry | undefined {
  const [was, is] = [isActionsOn(forge.config, before), isActionsOn(forge.config, after)];
  if (was === is && before.defaultBranch === after.defaultBranch) return undefined;
  const message = { kind: plansMessageKind, repositoryId: after.id, rebuilds: is && !was };
  return outbox(forge, "repository-events", message);
}
