import { completePack, readTrailer } from "./complete/complete-pack.ts";
import { DeltaResolver } from "./deltas/resolve-deltas.ts";
import { checkGitmodulesBlobs, orderOf, settleReferences, sideOf } from "./finish-ingest.ts";
import { asSpaceFailure, IngestError } from "./ingest-error.ts";
import { limitsOf } from "./ingest-limits.ts";
import { IngestState } from "./ingest-state.ts";
import type { IngestFailure, IngestOptions, IngestRecord } from "./ingest-types.ts";
import { PackInput } from "./scan/pack-input.ts";
import { scanPack } from "./scan/scan-pack.ts";
import { Spool } from "./spool/spool.ts";

/** Plain values of a pack that passed, or why it did not. */
export type IngestOutcome = { ok: true; record: IngestRecord } | { ok: false; reason: IngestFailure };

/**
 * Takes in a pack that has arrived in a file, on this thread. The file stays when the pack is sound, else it is
 * removed.
 */
export async function runIngest(path: string, options: IngestOptions): Promise<IngestOutcome> {
  let spool: Spool | undefined;
  try {
    spool = Spool.open(path);
    const record = await ingestFrom(spool, options);
    spool.close();
    return { ok: true, record };
  } catch (error) {
    spool?.remove();
    const named = asSpaceFailure(error);
    if (named instanceof IngestError) return { ok: false, reason: named.reason };
    throw named;
  }
}

async function ingestFrom(spool: Spool, options: IngestOptions): Promise<IngestRecord> {
  const limits = limitsOf(options);
  const state = new IngestState(options, limits, spool);
  state.throwIfAborted();
  const input = new PackInput(spool, options.format);
  await scanPack(input, state);
  const received = readTrailer(input, state);
  const resolver = new DeltaResolver(state);
  const pack = await resolvePack(state, resolver, received);
  const order = orderOf(state.table);
  const outsideModules = checkGitmodulesBlobs(state, resolver, order);
  return {
    packPath: spool.path,
    packBytes: spool.size,
    packChecksum: pack.checksum.toString("hex"),
    objectCount: state.table.count,
    appendedCount: pack.appendedCount,
    outsideModules,
    ...settleReferences(state, order, state.table.count - pack.appendedCount),
    side: sideOf(state, { ...pack, order }),
  };
}

async function resolvePack(
  state: IngestState,
  resolver: DeltaResolver,
  received: Buffer,
): Promise<{ appendedCount: number; checksum: Buffer }> {
  try {
    state.refDeltas.sort();
    await resolver.resolveFrom(0);
    return await completePack(state, resolver, received);
  } finally {
    resolver.frames.clear();
  }
}
