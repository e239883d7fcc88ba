import { orAborted as firstOf } from "../../concurrency/or-aborted.ts";
import { IngestError } from "./ingest-error.ts";

/** The refusal after an abort. */
export const abortedError = (): IngestError => new IngestError("aborted", "the push was aborted");

/** The result of the work, or the refusal after an abort, whichever comes first. */
export const orAborted = <T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  firstOf(work, signal, abortedError);
