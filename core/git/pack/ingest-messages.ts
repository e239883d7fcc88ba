import type { ObjectFormat, ObjectId } from "../object/object-format.ts";
import type { ObjectType } from "../object/object-type.ts";
import type { IngestLimits, IngestProgress } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";

/** A delta base on its way to the worker. */
export interface SentObject {
  id: ObjectId;
  type: ObjectType;
  data: Uint8Array<ArrayBuffer>;
}

/** From the process to the worker; one ingest at a time. */
export type ToWorker =
  | { kind: "start"; format: ObjectFormat; temporaryFolder: string; limits: Partial<IngestLimits> }
  | { kind: "chunk"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "end" }
  | { kind: "source-failed" }
  | { kind: "bases"; objects: SentObject[] }
  | { kind: "bases-failed" }
  | { kind: "abort" };

/** From the worker to the process. `taken`: one chunk is used up, another may be sent. */
export type FromWorker =
  | { kind: "taken" }
  | { kind: "find-bases"; ids: ObjectId[] }
  | { kind: "progress"; progress: IngestProgress }
  | { kind: "done"; outcome: IngestOutcome }
  | { kind: "failed"; error: unknown };
