import { defaultIngestLimits, type IngestLimits, type IngestOptions } from "./ingest-types.ts";

/** Objects up to this size are handled in memory; larger ones, only blobs, pass through in pieces. */
export const largeObjectBytes = 32 * 2 ** 20;

const largestSize = 2 ** 32 - 1;

/** The bounds of an ingest: the caller's, else the usual ones. */
export function limitsOf({ limits }: Pick<IngestOptions, "limits">): IngestLimits {
  const all = { ...defaultIngestLimits, ...limits };
  return { ...all, objectBytes: Math.min(all.objectBytes, largestSize) };
}
