import { randomUUID } from "node:crypto";
import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict } from "../errors.ts";
import { type EventOrigin, type OutboxEntry, outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type ReleaseAction, repositoryEvent } from "../hook/events.ts";
import { noteDeltaWrite } from "../list-index/compaction-requests.ts";
import { repositoryCountsWrite, splitCounts } from "../repository/counts.ts";
import type { Repository } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import { releaseIndex } from "./release.index.ts";
import { type Release, type ReleaseTag, releaseTagKey } from "./release.table.ts";

/** One change of a release: everything that a transaction writes of it. */
export interface ReleaseChange {
  /** As it is after the change, or was before its removal. */
  readonly release: Release;
  /** By how much the number of published releases changes. */
  readonly published: number;
  readonly writes: readonly Write[];
  readonly events: readonly OutboxEntry[];
}

/** The writes of a change, for a transaction of its own or that of a push. */
export const writesOfRelease = (
  { release, published, writes, events }: ReleaseChange,
  shards: number,
): Write[] => [
  ...(published === 0 ? [] : [repositoryCountsWrite(release.repositoryId, shards, { releases: published })]),
  ...writes,
  ...events.map((event) => event.write),
];

/** A lost race ends before the store gives up by itself, so that the change is planned anew. */
const mostConflicts = 3;

/** Writes a change in one transaction; false when something was not as it was read, or rivals kept it away. */
export type WriteChange = (change: ReleaseChange) => Promise<boolean>;

/**
 * Repeats `attempt`, which reads, plans and writes a change, until it answers something. Rivals on the repository's
 * counts get them split. Conflict when it never does.
 */
export async function untilWritten<T>(
  forge: Forge,
  repository: Pick<Repository, "id" | "shards">,
  attempt: (write: WriteChange) => Promise<T | undefined>,
): Promise<T> {
  let { shards } = repository;
  const write: WriteChange = async (change) => {
    const outcome = await forge.table.transact(writesOfRelease(change, shards), { mostConflicts });
    if (outcome.committed) await followRelease(forge, change);
    else if (change.published !== 0 && outcome.contended.includes(0)) {
      shards = await splitCounts(forge, repository.id, shards);
    }
    return outcome.committed;
  };
  for await (const _attempt of attempts()) {
    const done = await attempt(write);
    if (done !== undefined) return done;
  }
  throw conflict("the release is being changed by others; try again");
}

/** The work after the transaction of a change. */
export async function followRelease(forge: Forge, { release, events }: ReleaseChange): Promise<void> {
  await send(forge, events);
  await noteDeltaWrite(forge, releaseIndex(release.repositoryId));
}

/** Takes a tag for a release, if no release has it. */
export function takeTag({ repositoryId, number, tagName }: Release): Write {
  const guard: ReleaseTag = { ...releaseTagKey(repositoryId, tagName), number, tagName, _v: 1 };
  return put(guard, absent);
}

/** Gives up the tag of a release. */
export const leaveTag = ({ repositoryId, number, tagName }: Release): Write =>
  remove(releaseTagKey(repositoryId, tagName), equals({ number }));

/** The event of one change of a release: the same one, however often it is planned. */
export class ReleaseEvents {
  readonly #forge: Forge;
  readonly #actorId: number;
  readonly #origin: Required<EventOrigin>;

  constructor(forge: Forge, { user }: Actor) {
    this.#forge = forge;
    this.#actorId = user.id;
    this.#origin = { eventId: randomUUID(), atMs: forge.clock.now() };
  }

  get eventId(): string {
    return this.#origin.eventId;
  }

  of({ repositoryId, number }: Release, action: ReleaseAction): OutboxEntry {
    const { atMs: at } = this.#origin;
    const event = { kind: "release", action, number, repositoryId, actorId: this.#actorId, at } as const;
    return outbox(this.#forge, "repository-events", repositoryEvent(event), this.#origin);
  }
}
