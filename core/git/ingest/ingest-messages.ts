import type { ObjectFormat, ObjectId } from "../object/object-format.ts";
import type { ObjectType } from "../object/object-type.ts";
import type { FiledObject, IngestLimits, IngestProgress } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";

/** A delta base on its way to the worker: its content, or the file that holds it. */
export type SentObject = { id: ObjectId; type: ObjectType } & (
  | { data: Uint8Array<ArrayBuffer> }
  | Pick<FiledObject, "path">
);

/** From the process to the worker; one ingest at a time. */
export type ToWorker =
  | {
      kind: "start";
      path: string;
      format: ObjectFormat;
      temporaryFolder: string;
      limits: Partial<IngestLimits>;
    }
  | { kind: "bases"; objects: SentObject[] }
  | { kind: "bases-failed" }
  | { kind: "abort" };

/** From the worker to the process. */
export type FromWorker =
  | { kind: "find-bases"; ids: ObjectId[] }
  | { kind: "progress"; progress: IngestProgress }
  | { kind: "done"; outcome: IngestOutcome }
  | { kind: "failed"; error: unknown };
