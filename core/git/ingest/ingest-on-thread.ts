import { serviceCaller } from "../../caller/caller.ts";
import { compute } from "../../compute/compute.ts";
import { TaskEnded } from "../../compute/task.ts";
import type { ObjectId } from "../format/object-format.ts";
import { abortedError } from "./aborted.ts";
import { IngestError } from "./ingest-error.ts";
import { type FoundBases, type FromIngest, ingestTask, type SentObject } from "./ingest-task.ts";
import type { DeltaBase, IngestOptions } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";

/** Takes in a pack that has arrived in a file, on a thread. A thread that dies is a failed ingest. */
export async function ingestOnThread(path: string, options: IngestOptions): Promise<IngestOutcome> {
  const { format, temporaryFolder, limits = {}, signal, caller = serviceCaller } = options;
  let failure: { readonly error: unknown } | undefined;
  const answer = async (ids: ObjectId[]): Promise<readonly SentObject[] | undefined> => {
    try {
      return [...((await options.findBases?.(ids)) ?? new Map())].map(sentObject);
    } catch (error) {
      failure = { error }; // the task can't know it
      return undefined;
    }
  };
  const arrived = { path, format, temporaryFolder, limits };
  try {
    const outcome = await compute(ingestTask, arrived, {
      caller,
      signal,
      listener: async (message, reply) => {
        const told = message as FromIngest;
        if (told.kind === "progress") {
          options.onProgress?.(told.progress);
          return;
        }
        const objects = await answer(told.ids);
        const given: FoundBases = objects === undefined ? { failed: true } : { objects };
        reply(
          given,
          objects?.flatMap((object) => ("data" in object ? [object.data.buffer] : [])),
        );
      },
    });
    return withBuffers(outcome);
  } catch (error) {
    if (failure !== undefined) throw failure.error;
    if (signal?.aborted === true) return { ok: false, reason: abortedError().reason };
    if (error instanceof TaskEnded) return threadFailed(error.cause);
    throw error;
  }
}

function threadFailed(cause: unknown): IngestOutcome {
  const error = new IngestError("worker-failed", "the server failed while it took the pack in", { cause });
  return { ok: false, reason: error.reason };
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Turns the plain bytes from a thread into Buffers, as declared. */
function withBuffers(outcome: IngestOutcome): IngestOutcome {
  if (!outcome.ok) return outcome;
  const { side, outside } = outcome.record;
  const record = {
    ...outcome.record,
    side: asBuffer(side),
    outside: { ...outside, ids: asBuffer(outside.ids) },
  };
  return { ok: true, record };
}

/** The content is copied, because the task keeps it. */
const sentObject = ([id, object]: [ObjectId, DeltaBase]): SentObject =>
  "path" in object ? { id, ...object } : { id, type: object.type, data: new Uint8Array(object.data) };
