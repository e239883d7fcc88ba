import { dueWrite } from "../jobs/due.ts";
import type { Repository } from "../repository/repository.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey, Write } from "../table/write.ts";

/** Where a repository comes from: of mirrors, and of repositories that are or were brought over. */
export interface MirrorSource extends Item {
  readonly repositoryId: number;
  /** Without credentials. */
  readonly url: string;
  /** How to log in there, sealed; absent: without, or no longer needed. */
  readonly credentials?: string;
  /** The user who set it up; syncs count as their pushes. */
  readonly userId: number;
  /** Its wiki is brought, too. */
  readonly hasWiki: boolean;
  /** The objects of Git LFS that its commits name are brought, too. */
  readonly hasLfs?: true;
  /** Where its LFS server is; absent: at the usual place. */
  readonly lfsUrl?: string;
  /** The branch that the remote's HEAD named when it was last asked. */
  readonly head?: string;
  /** Why the last sync failed, or what it left out; absent: nothing. */
  readonly problem?: string;
  /** Syncs that failed since the last that did not. */
  readonly failures: number;
  /** When the last sync ended, whole seconds; 0 before. */
  readonly endedAt: number;
  readonly v: number;
  readonly _v: 1;
}

export const mirrorSourceKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "MIRROR",
});

/** Binds sealed credentials to their item. */
export const mirrorSecretContext = (repositoryId: number): string => `mirror:${repositoryId}`;

/** The kind of what is due when a mirror's time has come. */
export const mirrorDueKind = "sync-mirror";

/** Syncs a mirror at this time. Another time in the repository's item makes it void. */
export interface DueMirror {
  readonly repositoryId: number;
  /** Whole seconds. */
  readonly at: number;
}

/** Plans the next sync of a mirror; none when its settings plan none. */
export function mirrorDueWrites({ id, mirror }: Pick<Repository, "id" | "mirror">): Write[] {
  const at = mirror?.nextSyncAt ?? 0;
  if (at === 0) return [];
  const due: DueMirror = { repositoryId: id, at };
  return [dueWrite(mirrorDueKind, at * 1000, String(id), due)];
}
