import { dueWrite } from "../jobs/due.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey, Write } from "../table/write.ts";

/** A copy elsewhere that a repository keeps up to date (behaviour 7). Times are whole seconds; 0 stands for "never". */
export interface PushMirror extends Item {
  readonly repositoryId: number;
  /** `remote_mirror_` and ten letters and digits: its name in paths. */
  readonly name: string;
  /** Without credentials. */
  readonly url: string;
  /** How to log in there, sealed; absent: without. */
  readonly credentials?: string;
  /** Whole seconds between two runs; 0: none is planned. */
  readonly intervalSeconds: number;
  /** Each push to the repository starts a run. */
  readonly syncsOnPush: boolean;
  /** Globs between commas: only these branches are copied; empty: all. */
  readonly branchFilter: string;
  readonly createdAt: number;
  readonly lastRunAt: number;
  readonly nextRunAt: number;
  /** Why the last run failed; absent: it did not. */
  readonly problem?: string;
  readonly v: number;
  readonly _v: 1;
}

/** The kind of the job that brings a copy elsewhere up to date. */
export const pushMirrorKind = "push-mirror";

const prefix = "PUSHMIRROR#";

export const pushMirrorKey = (repositoryId: number, name: string): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${prefix}${name}`,
});
export const isPushMirror = (item: Item): item is PushMirror => item.sk.startsWith(prefix);
/** All push mirrors of a repository. */
export const pushMirrorsOf = (repositoryId: number) => ({ pk: repositoryPartition(repositoryId), prefix });

/** Binds sealed credentials to their item. */
export const pushMirrorSecretContext = ({ repositoryId, name }: PushMirrorId): string =>
  `push-mirror:${repositoryId}:${name}`;

export type PushMirrorId = Pick<PushMirror, "repositoryId" | "name">;

/** The kind of what is due when a push mirror's time has come. */
export const pushMirrorDueKind = "push-mirror";

/** Runs a push mirror at this time, whole seconds. Another time in its item makes this void, unless a push wants it. */
export type DuePushMirror = {
  readonly repositoryId: number;
  readonly name: string;
  readonly at: number;
  readonly isWanted: boolean;
};

/** Plans a run; `isWanted` by a push that came while one was under way. */
export function pushMirrorDueWrite(
  { repositoryId, name }: PushMirrorId,
  at: number,
  { isWanted = false } = {},
): Write {
  const due: DuePushMirror = { repositoryId, name, at, isWanted };
  return dueWrite(pushMirrorDueKind, at * 1000, `${repositoryId}.${name}`, due);
}
