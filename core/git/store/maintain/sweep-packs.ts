import type { Forge } from "../../../forge.ts";
import { randomId } from "../../../ids.ts";
import { dueWrite, settleDue } from "../../../jobs/due.ts";
import { equals } from "../../../table/condition.ts";
import { put, remove } from "../../../table/write.ts";
import {
  gitPartition,
  type LogItem,
  logPrefix,
  type Root,
  replaceRoot,
  stagedIdOf,
  stagedPrefix,
  stagedPrefixOfAll,
} from "../refs/refs.table.ts";
import { namedPacks } from "../shared-packs.ts";
import { readRoot, type Stores } from "../store.ts";
import { type ReplacedPacks, replacedPacksOf, type UnnamedObjects, unnamedKey } from "./maintain.table.ts";

/** A due look at a repository's packs, some of which may be superfluous. */
export interface PackSweep {
  readonly repositoryId: number;
}

/** The kind under which such sweeps are due. */
export const packSweepKind = "packs";
/** How long unnamed objects stay: for readers of an older ROOT, and for pushes that are about to name them. */
export const packGraceMs = 24 * 3_600_000;
/** An uploader names its object within this time, or not at all. */
export const longestUnnamedMs = packGraceMs / 4;

/** Schedules a look at a repository's packs for the end of the grace period. */
export async function sweepLater(
  { table, clock }: Pick<Forge, "table" | "clock">,
  repositoryId: number,
): Promise<void> {
  const sweep: PackSweep = { repositoryId };
  const key = `${repositoryId}#${randomId()}`;
  await table.write(dueWrite(packSweepKind, clock.now() + packGraceMs, key, sweep));
}

/** For the tick: looks at the packs of repositories where something was replaced, or seen unnamed, a day ago. */
export const sweepDuePacks = (stores: Stores): Promise<number> =>
  settleDue<PackSweep>(
    stores,
    packSweepKind,
    async ({ repositoryId }) => (await sweepPacks(stores, repositoryId)) !== undefined,
  );

/** The result of a look at a repository; it counts packs, and pushes whose chunks of the log were staged. */
export interface PackSweepReport {
  readonly packs: number;
  readonly staged: number;
  /** Unnamed objects that are to be looked at again. */
  readonly left: number;
}

/** Unnamed objects. */
interface Unnamed {
  readonly packs: readonly string[];
  readonly staged: readonly string[];
}

/**
 * Removes packs and staged chunks of the log that no ROOT names: those that consolidations replaced a day ago, and
 * those that a look a day ago saw unnamed already (left by a push that crashed). It notes objects that it sees unnamed
 * for the first time, and looks at them again a day later. Undefined when another wrote ROOT meanwhile: try again.
 */
export async function sweepPacks(stores: Stores, repositoryId: number): Promise<PackSweepReport | undefined> {
  const { table, blobs, clock } = stores;
  const root = await readRoot(stores, repositoryId);
  const [replaced, before, listed, staged] = await Promise.all([
    table.queryAll<ReplacedPacks>(replacedPacksOf(repositoryId)),
    table.get<UnnamedObjects>(unnamedKey(repositoryId)),
    listPacks(stores, repositoryId),
    stagedWithoutName(stores, repositoryId),
  ]);
  const named = listed.length === 0 ? new Set<string>() : await namedPacks(table, repositoryId);
  const unnamed: Unnamed = { packs: listed.filter((id) => !named.has(id)), staged };
  const isOver = (atMs: number) => atMs <= clock.now() - packGraceMs;
  const due = dueOf(unnamed, { replaced, before, isOver });
  const left: Unnamed = {
    packs: unnamed.packs.filter((id) => !due.packs.includes(id)),
    staged: unnamed.staged.filter((id) => !due.staged.includes(id)),
  };
  if (due.packs.length + due.staged.length > 0) {
    if (!(await fence(stores, root, repositoryId))) return undefined;
    const files = due.packs.map((id) => `r/${repositoryId}/p/${id}`);
    await blobs.remove(files.flatMap((file) => [`${file}.pack`, `${file}.side`]));
    for (const id of due.staged) await table.removeAll(await chunksOf(stores, repositoryId, id));
    stores.log.info("git:swept", { repositoryId, packs: due.packs, staged: due.staged });
  }
  await table.removeAll(replaced.filter(({ replacedAt }) => isOver(replacedAt)));
  await noteUnnamed(stores, repositoryId, { before, left, isOver });
  return {
    packs: due.packs.length,
    staged: due.staged.length,
    left: left.packs.length + left.staged.length,
  };
}

/** The part of it that nothing has named for a day. */
function dueOf(
  unnamed: Unnamed,
  facts: {
    readonly replaced: readonly ReplacedPacks[];
    readonly before: UnnamedObjects | undefined;
    isOver(atMs: number): boolean;
  },
): Unnamed {
  const { replaced, before, isOver } = facts;
  const replacedAt = new Map(replaced.flatMap((item) => item.packs.map((id) => [id, item.replacedAt])));
  const isSeen = before !== undefined && isOver(before.seenAt);
  const isDue = (id: string) =>
    isOver(replacedAt.get(id) ?? Number.POSITIVE_INFINITY) ||
    (!replacedAt.has(id) && isSeen && before.packs.includes(id));
  return {
    packs: unnamed.packs.filter(isDue),
    staged: unnamed.staged.filter((id) => isSeen && before.staged.includes(id)),
  };
}

/** Notes what is left; a note younger than a day stays, so that its day ends. */
async function noteUnnamed(
  stores: Stores,
  repositoryId: number,
  facts: {
    readonly before: UnnamedObjects | undefined;
    readonly left: Unnamed;
    isOver(atMs: number): boolean;
  },
): Promise<void> {
  const { before, left, isOver } = facts;
  const key = unnamedKey(repositoryId);
  if (left.packs.length + left.staged.length === 0) {
    if (before !== undefined) await stores.table.write(remove(key, equals({ seenAt: before.seenAt })));
    return;
  }
  if (before === undefined || isOver(before.seenAt)) {
    const note: UnnamedObjects = { ...key, ...left, seenAt: stores.clock.now(), _v: 1 };
    await stores.table.write(put(note));
  }
  await sweepLater(stores, repositoryId);
}

/** Ids of the packs under a repository's prefix. */
async function listPacks({ blobs }: Stores, repositoryId: number): Promise<string[]> {
  const prefix = `r/${repositoryId}/p/`;
  const ids = new Set<string>();
  for await (const { key } of blobs.list(prefix)) ids.add(key.slice(prefix.length).replace(/\.\w+$/, ""));
  return [...ids];
}

const chunksOf = ({ table }: Stores, repositoryId: number, stagedId: string) =>
  table.queryAll({ pk: gitPartition(repositoryId), prefix: stagedPrefix(stagedId) });

/** Ids of chunks that were staged and that no item of the log names. */
async function stagedWithoutName({ table }: Stores, repositoryId: number): Promise<string[]> {
  const pk = gitPartition(repositoryId);
  const chunks = await table.queryAll({ pk, prefix: stagedPrefixOfAll });
  if (chunks.length === 0) return [];
  const log = await table.queryAll<LogItem>({ pk, prefix: logPrefix });
  const named = new Set(log.map(({ staged }) => staged));
  return [...new Set(chunks.map(({ sk }) => stagedIdOf(sk)))].filter((id) => !named.has(id));
}

/**
 * A push that was frozen may wake up now. After this its ROOT is outdated; it reads again, and finds itself too old. A
 * push that was to create the repository has no ROOT: it looks only at its own age.
 */
async function fence({ table }: Stores, root: Root | undefined, repositoryId: number): Promise<boolean> {
  if (root === undefined) return (await readRoot({ table }, repositoryId)) === undefined;
  return table.write(replaceRoot(root, {}));
}
