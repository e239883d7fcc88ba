import { absent } from "../../../table/condition.ts";
import { put, type Write } from "../../../table/write.ts";
import { encodeLog, type LoggedChange } from "../../refs/ref-log.ts";
import { branchPrefix, tagPrefix } from "../../refs/ref-name.ts";
import { updateOf } from "../../refs/ref-table.ts";
import { type ManifestPack, packFileKey } from "../pack-manifest.ts";
import { type LogItem, logKey, type Root, stagedKey } from "../refs/refs.table.ts";
import type { RefSnapshot } from "../refs/snapshot.ts";
import { gitBytes, openSnapshot, type Stores } from "../store.ts";
import type { PushFacts, PushRequest } from "./push.ts";
import { keepsWholeReachability } from "./push-reachability.ts";

/** Names of one push, the same over all its attempts. */
export interface PushIds {
  readonly repositoryId: number;
  readonly pushId: string;
  /** The pack's name, once it is uploaded. */
  readonly packId: string | undefined;
}

/** What a push lands on: with packs that are lent to it, and the bytes of packs without them. */
export interface PushBase {
  readonly before: RefSnapshot;
  readonly storedBytes: number;
}

/** Refs and ROOT after these changes land on `before`. */
export async function pushFacts(
  stores: Pick<Stores, "blobs" | "clock">,
  ids: PushIds,
  request: PushRequest,
  { before, storedBytes }: PushBase,
  changes: readonly LoggedChange[],
): Promise<PushFacts> {
  const { pack, pusherId, chooseHead } = request;
  const timeMs = stores.clock.now();
  const refs = before.refs.with(changes.map((change) => updateOf(change, pusherId, timeMs)));
  const root: Root = {
    ...before.root,
    v: before.root.v + 1,
    e: before.root.e + 1,
    branches: before.root.branches + growth(changes, branchPrefix),
    tags: before.root.tags + growth(changes, tagPrefix),
    packs: [...before.root.packs, ...newPacks(ids, request)],
    isWhollyReachable: await keepsWholeReachability(openSnapshot(stores, before), refs, changes, pack),
  };
  const facts: PushFacts = {
    repositoryId: ids.repositoryId,
    pushId: ids.pushId,
    pusherId,
    pushOptions: request.pushOptions ?? [],
    timeMs,
    before,
    after: { root, refs },
    changes,
    wasEmpty: before.refs.entries.length === 0,
    packBytes: ids.packId === undefined ? 0 : (pack?.packBytes ?? 0),
    grownBytes: gitBytes(root) - storedBytes,
  };
  const head = chooseHead?.(facts);
  return head === undefined ? facts : { ...facts, after: { root: { ...root, head }, refs } };
}

function newPacks({ repositoryId, packId }: PushIds, { pack, source }: PushRequest): ManifestPack[] {
  if (pack === undefined || packId === undefined) return [];
  return [
    {
      id: packId,
      key: packFileKey(repositoryId, packId),
      packBytes: pack.packBytes,
      sideBytes: pack.side.length,
      objects: pack.objects,
      source: source ?? "receive",
      repositoryId,
    },
  ];
}

/** By how much the refs under a prefix grow. */
function growth(changes: readonly LoggedChange[], prefix: string): number {
  const own = changes.filter(({ name }) => name.startsWith(prefix));
  const created = own.filter(({ old }) => old === undefined).length;
  return created - own.filter((change) => change.new === undefined).length;
}

/** Chunks that fit a transaction's 4 MB beside the other items. */
const mostChunks = 9;
/** A push with more chunks takes more of the table than any honest one. */
const mostStagedChunks = 300;

/** How a push's log is written: items of its transaction, and items before it that the first of them names. */
export interface LogWrites {
  readonly inTransaction: readonly Write[];
  readonly staged: readonly LogItem[];
}

/** The push's log in chunks; undefined when it is too long. `stagedId` names the chunks of this attempt alone. */
export function logWrites(
  { repositoryId, pushId, packId }: PushIds,
  facts: PushFacts,
  stagedId: string,
): LogWrites | undefined {
  const { root } = facts.after;
  const logged = { ...facts, pushId, packIds: packId === undefined ? [] : [packId] };
  const chunks = encodeLog(root.objectFormat, logged);
  if (chunks.length > mostStagedChunks) return undefined;
  const isStaged = chunks.length > mostChunks;
  const inTransaction: Write[] = [];
  const staged: LogItem[] = [];
  for (const [chunk, changes] of chunks.entries()) {
    if (isStaged && chunk > 0) staged.push({ ...stagedKey(repositoryId, stagedId, chunk), changes, _v: 1 });
    else {
      const item = { ...logKey(repositoryId, root.v, chunk), changes, _v: 1 as const };
      inTransaction.push(put(isStaged ? { ...item, staged: stagedId } : item, absent));
    }
  }
  return { inTransaction, staged };
}
