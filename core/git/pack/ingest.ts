import type { IngestOptions, IngestResult } from "./ingest-types.ts";

/**
 * Takes a pack from a stream: checks everything, completes it, indexes it, leaves it in a temporary file.
 * Runs on the configured worker threads, else in this one. Refusals are values; nothing is left behind by one.
 */
export async function ingestPack(
  _source: AsyncIterable<Uint8Array>,
  _options: IngestOptions,
): Promise<IngestResult> {
  throw new Error("not built");
}
