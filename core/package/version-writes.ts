import { randomUUID } from "node:crypto";
import { defined } from "../defined.ts";
import { type EventOrigin, type OutboxEntry, outbox } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { eventDetail } from "../hook/event-detail.ts";
import { packageEvent } from "../hook/events.ts";
import { tombstoneWrite } from "../list-index/list-index.ts";
import { equals, exists } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import { filesLeavingWrite } from "./left-files.ts";
import { packageDelta, packageIndex } from "./package.index.ts";
import {
  type ListedVersion,
  listedVersionKey,
  type Package,
  type PackageVersion,
  readmeKey,
  versionKey,
} from "./package.table.ts";

/** The row by which lists find a version. */
export const listedVersionOf = ({
  ownerId,
  number,
  packageId,
  type,
  name,
  version,
  createdAt,
  bytes,
  v,
}: PackageVersion): ListedVersion => ({
  ...listedVersionKey(ownerId, number),
  ...{ number, packageId, type, name, version, createdAt, bytes, v, _v: 1 },
});

/** The row of a version, and its entry in the list index. */
export function listedWrites(version: PackageVersion): Write[] {
  const listed = listedVersionOf(version);
  return [put(listed), packageDelta(version.ownerId, listed)];
}

/** The event of one version: the same one, however often its transaction is planned. */
export class VersionEvent {
  readonly #forge: Forge;
  readonly #action: "created" | "deleted";
  readonly #actorId: number;
  readonly #origin: Required<EventOrigin>;

  constructor(forge: Forge, action: "created" | "deleted", actorId: number) {
    this.#forge = forge;
    this.#action = action;
    this.#actorId = actorId;
    this.#origin = { eventId: randomUUID(), atMs: forge.clock.now() };
  }

  /** The event of this version, of a package that belongs to this repository. */
  of({ ownerId, number }: PackageVersion, repositoryId: number | undefined): OutboxEntry {
    const { atMs: at } = this.#origin;
    const who = { ownerId, number, actorId: this.#actorId, ...defined({ repositoryId }) };
    const event = packageEvent({ kind: "package", action: this.#action, ...who, at });
    return outbox(this.#forge, "repository-events", event, this.#origin);
  }

  /** Keeps the removed version for the event's consumer, without what only its registry knows. */
  detail({ metadata: _, ...removed }: PackageVersion): Write {
    return eventDetail(this.#forge, this.#origin.eventId, { removed: removed as PackageVersion });
  }
}

/**
 * The writes that remove a version, without those of its package and of what counts it: of its files none but a note,
 * so that there may be any number of them.
 */
export function versionLeavingWrites(forge: Forge, version: PackageVersion, event: VersionEvent): Write[] {
  const { packageId, ownerId, number, v } = version;
  return [
    remove(versionKey(packageId, version.version), equals({ number, v })),
    remove(listedVersionKey(ownerId, number), exists),
    tombstoneWrite(packageIndex(ownerId), number, version, v + 1),
    remove(readmeKey(packageId, number)),
    filesLeavingWrite(forge, version),
    event.detail(version),
  ];
}

/** The tags that lead elsewhere than to a version. */
export const tagsWithout = ({ tags }: Package, version: string): Package["tags"] =>
  Object.fromEntries(Object.entries(tags).filter(([, to]) => to !== version));
