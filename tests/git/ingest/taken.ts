import type { ObjectFormat } from "#core/git/format/object-format";
import { ingestPack } from "#core/git/ingest/ingest";
import type { IngestedPack, IngestOptions, IngestResult } from "#core/git/ingest/ingest-types";
import { temporaryFolder } from "../pack/real-git.ts";

/** Bytes in pieces of one size. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Takes a pack in, in a folder of its own. */
export async function take(
  format: ObjectFormat,
  pack: Uint8Array,
  options: Partial<IngestOptions> & { pieceBytes?: number; source?: AsyncIterable<Uint8Array> } = {},
): Promise<IngestResult> {
  const { pieceBytes = 64 * 1024, source = inPieces(pack, pieceBytes), ...rest } = options;
  const folder = rest.temporaryFolder ?? (await temporaryFolder());
  return ingestPack(source, { format, ...rest, temporaryFolder: folder });
}

/** The same where it has to succeed. */
export async function taken(
  format: ObjectFormat,
  pack: Uint8Array,
  options: Parameters<typeof take>[2] = {},
): Promise<IngestedPack> {
  const result = await take(format, pack, options);
  if (!result.ok) throw new Error(`refused: ${result.reason.kind}: ${result.reason.message}`);
  return result.pack;
}
