import { visibleRepository } from "../refs/hidden-refs.ts";
import type { GitRepository } from "../repository.ts";
import { dataPacket, PacketReader } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import { uploadPackV0 } from "./upload-pack-v0.ts";
import { uploadPackV2 } from "./upload-pack-v2.ts";

/** The versions of the wire protocol. 1 is 0 with a version line. */
export type ProtocolVersion = 0 | 1 | 2;

/** How a fetch is served. */
export interface UploadPackOptions {
  /** Ends the work when the client has left. */
  readonly signal?: AbortSignal;
  readonly keepAliveMs?: number;
  /** Called with the client's name for this session in its own logs. */
  onSession?(id: string): void;
  /** Called with the reason when an answer that has begun can't be finished; the client learns it on side-band 3. */
  onFailure?(error: unknown): void;
}

/**
 * Serves one request to git-upload-pack. A client's fault is answered as `ERR`; anything else is thrown, and the caller
 * decides what the client is told.
 */
export async function* uploadPack(
  repository: GitRepository,
  version: ProtocolVersion,
  body: AsyncIterable<Uint8Array>,
  options: UploadPackOptions = {},
): AsyncGenerator<Uint8Array> {
  const reader = new PacketReader(body);
  const visible = visibleRepository(repository);
  try {
    if (version === 2) yield* uploadPackV2(visible, reader, options);
    else yield* uploadPackV0(visible, reader, options);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    await drain(reader);
    yield dataPacket(`ERR ${error.message}`);
  } finally {
    await reader.close();
  }
}

/** Reads on after a refusal: a client that is still sending when the connection ends never reads the reason. */
async function drain(reader: PacketReader): Promise<void> {
  try {
    for await (const _ of reader.rest());
  } catch {
    // The body is broken or too large, which does not matter any more.
  }
}
