import type { IngestFailure } from "./ingest-types.ts";

/** Carries a refusal up to `runIngest`, which turns it into a value. It never leaves this folder. */
export class IngestError extends Error {
  readonly reason: IngestFailure;

  constructor(
    kind: IngestFailure["kind"],
    message: string,
    details: Omit<IngestFailure, "kind" | "message"> = {},
  ) {
    super(message);
    this.name = "IngestError";
    this.reason = { kind, message, ...details };
  }
}

const fullDisk = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Turns the error of a full temporary folder into a refusal; returns every other error as it is. */
export function asSpaceFailure(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === undefined || !fullDisk.has(code)) return error;
  return new IngestError("no-space", "no space left for the pack on the server", { cause: error });
}
