import { dueWrite, settleDue } from "../../due.ts";
import type { Forge } from "../../forge.ts";
import { randomId } from "../../ids.ts";
import { equals, put, remove } from "../../table.ts";
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
import { type Doors, readRoot } from "../store.ts";
import { type ReplacedPacks, replacedPacksOf, type UnnamedObjects, unnamedKey } from "./maintain.table.ts";

/** What is due when packs of a repository may have become superfluous. */
export interface PackSweep {
  readonly repositoryId: number;
}

/** The kind under which such sweeps are due. */
export const packSweepKind = "packs";
/** How long what nothing names stays: for readers that hold an older ROOT, and for pushes that are about to name it. */
export const packGraceMs = 24 * 3_600_000;
/** Who uploads something names it within this time, or not at all. */
export const longestUnnamedMs = packGraceMs / 4;

/** Has a repository's packs looked at once the grace period is over. */
export async function sweepLater(
  { table, clock }: Pick<Forge, "table" | "clock">,
  repositoryId: number,
): Promise<void> {
  const sweep: PackSweep = { repositoryId };
  const key = `${repositoryId}#${randomId()}`;
  await table.write(dueWrite(packSweepKind, clock.now() + packGraceMs, key, sweep));
}

/** For the tick: looks at the packs of repositories where something was replaced or seen without a name a day ago. */
export const sweepDuePacks = (doors: Doors): Promise<number> =>
  settleDue<PackSweep>(
    doors,
    packSweepKind,
    async ({ repositoryId }) => (await sweepPacks(doors, repositoryId)) !== undefined,
  );

/** What a look at a repository came to; counts packs, and pushes whose chunks of the log were staged. */
export interface PackSweepReport {
  readonly packs: number;
  readonly staged: number;
  /** What nothing names and is to be looked at again. */
  readonly left: number;
}

/** What lies there that nothing names. */
interface Unnamed {
  readonly packs: readonly string[];
  readonly staged: readonly string[];
}

/**
 * Removes packs and staged chunks of the log that no ROOT names: what consolidations replaced a day ago, and what a
 * former look, a day ago, saw without a name already (a push that crashed has left it). What is seen without a name for
 * the first time is noted, and looked at again a day later. Undefined when another wrote ROOT meanwhile: try again.
 */
export async function sweepPacks(doors: Doors, repositoryId: number): Promise<PackSweepReport | undefined> {
  const { table, blobs, clock } = doors;
  const root = await readRoot(doors, repositoryId);
  const [replaced, before, listed, staged] = await Promise.all([
    table.queryAll<ReplacedPacks>(replacedPacksOf(repositoryId)),
    table.get<UnnamedObjects>(unnamedKey(repositoryId)),
    listPacks(doors, repositoryId),
    stagedWithoutName(doors, repositoryId),
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
    if (!(await fence(doors, root, repositoryId))) return undefined;
    const files = due.packs.map((id) => `r/${repositoryId}/p/${id}`);
    await blobs.remove(files.flatMap((file) => [`${file}.pack`, `${file}.side`]));
    for (const id of due.staged) await table.removeAll(await chunksOf(doors, repositoryId, id));
    doors.log.info("git:swept", { repositoryId, packs: due.packs, staged: due.staged });
  }
  await table.removeAll(replaced.filter(({ replacedAt }) => isOver(replacedAt)));
  await noteUnnamed(doors, repositoryId, { before, left, isOver });
  return {
    packs: due.packs.length,
    staged: due.staged.length,
    left: left.packs.length + left.staged.length,
  };
}

/** What of it nothing has named for a day. */
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

/** Notes what is left; a note that is younger than a day stays, so that its day ends. */
async function noteUnnamed(
  doors: Doors,
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
    if (before !== undefined) await doors.table.write(remove(key, equals({ seenAt: before.seenAt })));
    return;
  }
  if (before === undefined || isOver(before.seenAt)) {
    const note: UnnamedObjects = { ...key, ...left, seenAt: doors.clock.now(), _v: 1 };
    await doors.table.write(put(note));
  }
  await sweepLater(doors, repositoryId);
}

/** Ids of the packs under a repository's prefix. */
async function listPacks({ blobs }: Doors, repositoryId: number): Promise<string[]> {
  const prefix = `r/${repositoryId}/p/`;
  const ids = new Set<string>();
  for await (const { key } of blobs.list(prefix)) ids.add(key.slice(prefix.length).replace(/\.\w+$/, ""));
  return [...ids];
}

const chunksOf = ({ table }: Doors, repositoryId: number, stagedId: string) =>
  table.queryAll({ pk: gitPartition(repositoryId), prefix: stagedPrefix(stagedId) });

/** Ids of chunks that were staged and that no item of the log names. */
async function stagedWithoutName({ table }: Doors, repositoryId: number): Promise<string[]> {
  const pk = gitPartition(repositoryId);
  const chunks = await table.queryAll({ pk, prefix: stagedPrefixOfAll });
  if (chunks.length === 0) return [];
  const log = await table.queryAll<LogItem>({ pk, prefix: logPrefix });
  const named = new Set(log.map(({ staged }) => staged));
  return [...new Set(chunks.map(({ sk }) => stagedIdOf(sk)))].filter((id) => !named.has(id));
}

/**
 * A push that was frozen may wake up now. After this its ROOT is outdated, and reading again it finds itself too old.
 * One that was to create the repository has no ROOT to be outdated: it looks at its own age alone.
 */
async function fence({ table }: Doors, root: Root | undefined, repositoryId: number): Promise<boolean> {
  if (root === undefined) return (await readRoot({ table }, repositoryId)) === undefined;
  return table.write(replaceRoot(root, {}));
}
