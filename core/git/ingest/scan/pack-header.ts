import { IngestError } from "../ingest-error.ts";
import type { IngestLimits } from "../ingest-types.ts";

/** Bytes of `PACK`, version and number of objects, with which every pack begins (gitformat-pack). */
export const packHeaderBytes = 12;

/**
 * The number of objects that a pack's header at `at` announces. Throws a refusal for bytes that are no pack, and for
 * too many objects.
 */
export function checkPackHeader(bytes: Buffer, at: number, limits: Pick<IngestLimits, "objects">): number {
  if (bytes.toString("latin1", at, at + 4) !== "PACK") {
    throw new IngestError("not-a-pack", "what was sent is not a pack");
  }
  const version = bytes.readUInt32BE(at + 4);
  if (version !== 2 && version !== 3) {
    throw new IngestError("not-a-pack", `pack version ${version} is not supported`);
  }
  const announced = bytes.readUInt32BE(at + 8);
  if (announced > limits.objects) {
    throw new IngestError(
      "too-many-objects",
      `the pack announces ${announced} objects; at most ${limits.objects} are allowed`,
    );
  }
  return announced;
}
