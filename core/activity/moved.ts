import { type OutboxEntry, outbox } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";

/** The kind of the message that tells of a repository's new name or owner: no hook hears of these. */
export const repositoryMovedKind = "repository-moved";

/** A repository got a new name, or a new owner, by whom and when (milliseconds); the name is that before. */
export interface RepositoryMoved {
  readonly repositoryId: number;
  readonly actorId: number;
  readonly at: number;
  readonly name: string;
  /** The owner before, of a new owner. */
  readonly formerOwnerId?: number;
}

/** The same for the outbox, in the transaction that causes it. */
export const movedEntry = (forge: Forge, moved: Omit<RepositoryMoved, "at">): OutboxEntry =>
  outbox(forge, "repository-events", { kind: repositoryMovedKind, ...moved, at: forge.clock.now() });
