import { padded } from "../../../ids.ts";
import { absent, equals } from "../../../table/condition.ts";
import { type Item, put, type TableKey, type Write } from "../../../table/write.ts";
import type { ObjectFormat } from "../../format/object-format.ts";
import { decodeRefName, encodeRefName } from "../../refs/ref-name.ts";
import { decodeManifest, encodeManifest, type ManifestPack } from "../pack-manifest.ts";

/** The partition of a repository's git data. */
export const gitPartition = (repositoryId: number): string => `R#${repositoryId}#G`;

/** The one item through which everything in the repository is found. */
export const rootKey = (repositoryId: number): TableKey => ({ pk: gitPartition(repositoryId), sk: "ROOT" });

export const logPrefix = "L#";
/** Chunk `chunk` of the push that made version `v`. */
export const logKey = (repositoryId: number, v: number, chunk: number): TableKey => ({
  pk: gitPartition(repositoryId),
  sk: `${logPrefix}${padded(v)}#${padded(chunk)}`,
});

/** The version and chunk that a log item's sort key names. */
export function parseLogSortKey(sk: string): { v: number; chunk: number } {
  const [, v, chunk] = sk.split("#");
  return { v: Number(v), chunk: Number(chunk) };
}

/** The chunks of a push that exceed its transaction: written before it, named by it. */
export const stagedPrefixOfAll = "C#";
export const stagedPrefix = (stagedId: string): string => `${stagedPrefixOfAll}${stagedId}#`;
/** The push of a chunk's sort key. */
export const stagedIdOf = (sk: string): string => sk.slice(stagedPrefixOfAll.length, sk.lastIndexOf("#"));
export const stagedKey = (repositoryId: number, stagedId: string, chunk: number): TableKey => ({
  pk: gitPartition(repositoryId),
  sk: `${stagedPrefix(stagedId)}${padded(chunk)}`,
});

/** One chunk of a push's changes (`encodeLog`). */
export interface LogItem extends Item {
  readonly changes: Uint8Array;
  /** On the first chunk: the others lie under this id. */
  readonly staged?: string;
  readonly _v: 1;
}

/** Compacted refs, in the order of their names (`encodeRefSegment`): immutable, under an id that nobody else writes. */
export interface SegmentItem extends Item {
  readonly refs: Uint8Array;
  readonly _v: 1;
}
export const segmentKey = (repositoryId: number, id: string): TableKey => ({
  pk: gitPartition(repositoryId),
  sk: `S#${id}`,
});

/** The ids of many segments, when they would be too long for ROOT: immutable as well. */
export interface SegmentListItem extends Item {
  readonly ids: readonly string[];
  readonly _v: 1;
}
export const segmentListKey = (repositoryId: number, id: string): TableKey => ({
  pk: gitPartition(repositoryId),
  sk: `SL#${id}`,
});

/** ROOT, read. Every write of it carries the condition `e = read`. */
export interface Root {
  readonly repositoryId: number;
  /** Version of all refs: +1 for each push, the number of its log item. */
  readonly v: number;
  /** Edition: +1 for every write. */
  readonly e: number;
  readonly state: "live" | "deleting";
  readonly objectFormat: ObjectFormat;
  /** The ref that HEAD names; it need not exist. */
  readonly head: string;
  readonly branches: number;
  readonly tags: number;
  /** Log items up to here are compacted into the segments. */
  readonly base: number;
  /** Ids of the compacted ref segments, by the order of their refs; empty before the first compaction. */
  readonly segments: readonly string[];
  /** The id of the item that lists them instead, when there are many; else empty. */
  readonly segmentList: string;
  /** Oldest first. */
  readonly packs: readonly ManifestPack[];
  /** Every object in the packs is reachable from a ref, so whole packs may be sent. */
  readonly isWhollyReachable: boolean;
}

interface RootItem extends Item {
  readonly v: number;
  readonly e: number;
  readonly state: "live" | "deleting";
  readonly objectFormat: ObjectFormat;
  readonly head: Uint8Array;
  readonly branches: number;
  readonly tags: number;
  readonly base: number;
  readonly segments: readonly string[];
  readonly segmentList?: string;
  readonly packs: Uint8Array;
  readonly isWhollyReachable: boolean;
  readonly _v: 1;
}

/** ROOT as an item of the table. */
function rootItem(root: Root): RootItem {
  const { repositoryId, head, packs, ...rest } = root;
  return {
    ...rootKey(repositoryId),
    ...rest,
    head: encodeRefName(head),
    packs: encodeManifest(packs),
    _v: 1,
  };
}

/** The item as Root. Throws on an unknown shape. */
export function readRootItem(repositoryId: number, item: Item): Root {
  const { v, e, state, objectFormat, head, branches, tags, base, _v } = item as RootItem;
  const { segments, segmentList = "", packs, isWhollyReachable } = item as RootItem;
  if (_v !== 1) throw new Error(`ROOT of repository ${repositoryId} has unknown shape ${_v}`);
  return {
    repositoryId,
    v,
    e,
    state,
    objectFormat,
    head: decodeRefName(head),
    branches,
    tags,
    base,
    segments,
    segmentList,
    packs: decodeManifest(packs),
    isWhollyReachable,
  };
}

/** The changes that a write of ROOT may make; `e` moves by itself. */
export type RootChanges = Partial<Omit<Root, "repositoryId" | "e" | "objectFormat">>;

/** Writes ROOT anew, unless somebody wrote it since `root` was read; a planned one (`e` 0) if there is none yet. */
export const replaceRoot = (root: Root, changes: RootChanges): Write =>
  put(rootItem({ ...root, ...changes, e: root.e + 1 }), root.e === 0 ? absent : equals({ e: root.e }));
