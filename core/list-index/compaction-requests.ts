import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import { lazyFor } from "../lazy.ts";

/** What a request for compaction needs of an index. */
interface Compactable {
  readonly name: string;
}

/** The kind of the job that compacts a list index; its argument is the index's name. */
export const compactionJobKind = "compact-list-index";

/** A longer delta is compacted. */
const longestDelta = 200;
const askedAgainMs = 10_000;
const rememberedNames = 1_000;
/** One in this many writes of a process into an index makes a worker look at the delta, which the writers don't see. */
const writesPerLook = 64;

/**
 * What a process remembers for each index: when it asked for compaction, and how often it wrote. Keyed by the forge's
 * settings, because the table object may be one that reads ahead.
 */
interface Memory {
  readonly askedAt: LRUCache<string, number>;
  readonly writes: LRUCache<string, number>;
}
const memoryOf = lazyFor(
  (_config: Config): Memory => ({
    askedAt: new LRUCache({ max: rememberedNames }),
    writes: new LRUCache({ max: rememberedNames }),
  }),
);

/** Asks for compaction when an index's delta is too long. One waiting job is enough. Never throws. */
export async function requestCompaction(
  forge: Forge,
  { name }: Compactable,
  deltaLength: number,
): Promise<void> {
  if (deltaLength <= longestDelta || wasAsked(forge, name)) return;
  const job = startJob(forge, compactionJobKind, { name }, { id: `compact-${name}` });
  try {
    if (await forge.table.write(job.write)) await send(forge, [job.message]);
  } catch (error) {
    forge.log.warn("list-index:compaction-request-failed", { index: name, error });
  }
}

/** The kind of the job that rebuilds a list index whose manifest can't be read; its argument is the index's name. */
export const rebuildJobKind = "rebuild-list-index";

/** Asks for a rebuild of an index. One waiting job is enough. Never throws. */
export async function requestRebuild(forge: Forge, { name }: Compactable): Promise<void> {
  const job = startJob(forge, rebuildJobKind, { name }, { id: `rebuild-${name}` });
  try {
    if (await forge.table.write(job.write)) await send(forge, [job.message]);
  } catch (error) {
    forge.log.warn("list-index:rebuild-request-failed", { index: name, error });
  }
}

/**
 * For a writer that has just written into the delta: makes sure that it is compacted even when nobody reads it. Never
 * throws.
 */
export async function noteDeltaWrite(forge: Forge, index: Compactable): Promise<void> {
  const writes = memoryOf(forge.config).writes;
  const count = (writes.get(index.name) ?? 0) + 1;
  writes.set(index.name, count);
  if (count % writesPerLook === 0) await requestCompaction(forge, index, Number.POSITIVE_INFINITY);
}

function wasAsked({ config, clock }: Forge, name: string): boolean {
  const { askedAt } = memoryOf(config);
  const now = clock.now();
  if (now - (askedAt.get(name) ?? Number.NEGATIVE_INFINITY) < askedAgainMs) return true;
  askedAt.set(name, now);
  return false;
}
