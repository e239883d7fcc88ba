import { unavailable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { randomId } from "../../ids.ts";
import { absent, any, below, equals, exists } from "../../table/condition.ts";
import { put, remove } from "../../table/write.ts";
import {
  archiveKey,
  archivesPartition,
  isUnnamed,
  type KeptArchive,
  type UnnamedArchive,
  unnamedArchiveKey,
} from "../archive.table.ts";

/** Objects under this prefix are archives and may be removed when they are a day old. */
export const archivePrefix = "archives/";
/** An item never leads to an object that is gone: it ends some hours before the object. */
const lifeSeconds = 20 * 3600;
/** The bucket may keep an object for up to two days, because its rules run once a day. */
const countedSeconds = 3 * 86_400;
/** An evicted archive may be read to its end for this long, or for a minute when others need its room. */
const graceSeconds = 15 * 60;
const leastGraceSeconds = 60;
/** An archive is put in less. */
const putSeconds = 2 * graceSeconds;
/** Archives of one repository that are kept, however small. */
const mostKept = 1_000;

type Stores = Pick<Forge, "blobs" | "clock" | "config" | "table">;

const secondsOf = ({ clock }: Pick<Stores, "clock">): number => Math.floor(clock.now() / 1000);

/** The archive of a name, if it was made recently. */
export async function findKeptArchive(
  stores: Stores,
  repositoryId: number,
  name: string,
): Promise<KeptArchive | undefined> {
  const item = await stores.table.get<KeptArchive>(archiveKey(repositoryId, name));
  return item === undefined || item.until <= secondsOf(stores) ? undefined : item;
}

/** A file that is to be kept under a name. */
export interface ArchiveFile {
  readonly repositoryId: number;
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** The ending of its object's name. */
  readonly kind: string;
}

/**
 * Stores an archive under a name; answers the archive that has the name then. Its item comes before its object, so that
 * an interrupted upload counts, and is removed. Unavailable when recently evicted archives still fill the room.
 */
export async function keepArchive(stores: Stores, file: ArchiveFile): Promise<KeptArchive> {
  const { blobs, table } = stores;
  const { repositoryId, sizeBytes } = file;
  const objectKey = `${archivePrefix}${repositoryId}/${randomId()}.${file.kind}`;
  const reserved = unnamed(stores, repositoryId, { objectKey, sizeBytes, forSeconds: putSeconds });
  await table.write(put(reserved));
  let kept: KeptArchive | undefined;
  try {
    await makeRoom(stores, repositoryId, reserved);
    await blobs.putFile(objectKey, file.path);
    kept = await giveName(stores, file, reserved);
    return kept;
  } finally {
    if (kept?.objectKey !== objectKey) await removeUnnamed(stores, [reserved]);
  }
}

function unnamed(
  stores: Stores,
  repositoryId: number,
  { objectKey, sizeBytes, forSeconds }: { objectKey: string; sizeBytes: number; forSeconds: number },
): UnnamedArchive {
  const now = secondsOf(stores);
  const key = unnamedArchiveKey(repositoryId, randomId());
  return { ...key, objectKey, sizeBytes, removableAt: now + forSeconds, ttl: now + countedSeconds, _v: 1 };
}

/** Of several that make the same archive, the first one's counts. */
async function giveName(
  stores: Stores,
  { repositoryId, name, sizeBytes }: ArchiveFile,
  reserved: UnnamedArchive,
): Promise<KeptArchive> {
  const { table } = stores;
  const now = secondsOf(stores);
  const key = archiveKey(repositoryId, name);
  const { objectKey } = reserved;
  const item: KeptArchive = {
    ...{ ...key, objectKey, sizeBytes, until: now + lifeSeconds, ttl: now + countedSeconds },
    _v: 1,
  };
  const isFree = any(absent, below({ until: now + 1 }));
  const { committed } = await table.transact([put(item, isFree), remove(reserved, exists)]);
  if (committed) return item;
  const first = await table.get<KeptArchive>(key);
  if (first === undefined) throw unavailable("the archive took too long to be put away; try again");
  return first;
}

/**
 * Evicts the oldest until the new one fits into the bound. Together with evicted ones, all stay within twice the bound.
 */
async function makeRoom(stores: Stores, repositoryId: number, own: UnnamedArchive): Promise<void> {
  const now = secondsOf(stores);
  const most = stores.config.archiveKeptBytes;
  const pk = archivesPartition(repositoryId);
  const items = await stores.table.queryAll<KeptArchive | UnnamedArchive>({ pk });
  await removeLeaving(stores, items, own);
  const kept = items.filter((item): item is KeptArchive => !isUnnamed(item));
  let bytes = bytesOf(kept) + own.sizeBytes;
  let count = kept.length + 1;
  for (const oldest of kept.toSorted((one, other) => one.until - other.until)) {
    if (oldest.until > now && bytes <= most && count <= mostKept) break;
    await letGo(stores, repositoryId, oldest);
    bytes -= oldest.sizeBytes;
    count -= 1;
  }
}

/** Removes archives that nobody may read any more, and, when there is too much, those evicted a minute ago. */
async function removeLeaving(
  stores: Stores,
  items: readonly (KeptArchive | UnnamedArchive)[],
  own: UnnamedArchive,
): Promise<void> {
  const now = secondsOf(stores);
  let bytes = bytesOf(items);
  let count = items.length;
  const isTooMuch = () => bytes > 2 * stores.config.archiveKeptBytes || count > 2 * mostKept;
  const over: UnnamedArchive[] = [];
  const leaving = items.filter(isUnnamed).filter(({ sk }) => sk !== own.sk);
  for (const one of leaving.toSorted((first, second) => first.removableAt - second.removableAt)) {
    const spared = isTooMuch() ? graceSeconds - leastGraceSeconds : 0;
    if (one.removableAt - spared > now) break;
    over.push(one);
    bytes -= one.sizeBytes;
    count -= 1;
  }
  await removeUnnamed(stores, over);
  if (isTooMuch()) throw crowded();
}

const bytesOf = (archives: readonly { sizeBytes: number }[]): number =>
  archives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const crowded = () =>
  unavailable(
    "very many archives of this repository were made of late: try again in a minute, or clone instead",
    {
      retryAfterSeconds: leastGraceSeconds,
    },
  );

/** Takes an archive's name away; its present readers may go on for a while. */
async function letGo(stores: Stores, repositoryId: number, oldest: KeptArchive): Promise<void> {
  const { objectKey, sizeBytes } = oldest;
  await stores.table.transact([
    remove(oldest, equals({ objectKey })),
    put(unnamed(stores, repositoryId, { objectKey, sizeBytes, forSeconds: graceSeconds })),
  ]);
}

/** Removes objects before the items that count them. */
async function removeUnnamed({ blobs, table }: Stores, archives: readonly UnnamedArchive[]): Promise<void> {
  if (archives.length === 0) return;
  await blobs.remove(archives.map(({ objectKey }) => objectKey));
  await table.removeAll(archives);
}
