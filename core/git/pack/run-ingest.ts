import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { completePack, readTrailer } from "./complete-pack.ts";
import { checkGitmodulesBlobs, orderOf, settleReferences, sideOf } from "./finish-ingest.ts";
import { asSpaceFailure, IngestError } from "./ingest-error.ts";
import { abortedError, IngestState } from "./ingest-state.ts";
import {
  defaultIngestLimits,
  type IngestFailure,
  type IngestLimits,
  type IngestOptions,
  type IngestRecord,
} from "./ingest-types.ts";
import { PackInput } from "./pack-input.ts";
import { DeltaResolver } from "./resolve-deltas.ts";
import { scanPack } from "./scan-pack.ts";
import { Spool } from "./spool.ts";

/** Plain values of a pack that passed, or why it did not. */
export type IngestOutcome = { ok: true; record: IngestRecord } | { ok: false; reason: IngestFailure };

const largestSize = 2 ** 32 - 1;

/** Takes a pack in on this thread. Leaves one file when it is sound, none otherwise. */
export async function runIngest(
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
): Promise<IngestOutcome> {
  let spool: Spool | undefined;
  try {
    spool = new Spool(join(options.temporaryFolder, `${randomUUID()}.pack`));
    const record = await ingestInto(spool, source, options);
    spool.close();
    return { ok: true, record };
  } catch (error) {
    spool?.remove();
    const named = asSpaceFailure(error);
    if (named instanceof IngestError) return { ok: false, reason: named.reason };
    throw named;
  }
}

async function ingestInto(
  spool: Spool,
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
): Promise<IngestRecord> {
  const limits: IngestLimits = { ...defaultIngestLimits, ...options.limits };
  limits.objectBytes = Math.min(limits.objectBytes, largestSize);
  const state = new IngestState(options, limits, spool);
  state.throwIfAborted();
  const input = new PackInput(source, { spool, format: options.format, packBytes: limits.packBytes });
  const stop = () => input.stop(abortedError());
  options.signal?.addEventListener("abort", stop);
  let received: Buffer;
  try {
    await scanPack(input, state);
    received = await readTrailer(input, state);
  } finally {
    options.signal?.removeEventListener("abort", stop);
  }
  const resolver = new DeltaResolver(state);
  const pack = await resolvePack(state, resolver, received);
  const order = orderOf(state.table);
  checkGitmodulesBlobs(state, resolver, order);
  return {
    packPath: spool.path,
    packBytes: spool.size,
    packChecksum: pack.checksum.toString("hex"),
    objectCount: state.table.count,
    appendedCount: pack.appendedCount,
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
