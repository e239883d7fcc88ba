import type { Task, TaskPort } from "../../compute/task.ts";
import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import type { ObjectType } from "../format/object-type.ts";
import type { DeltaBase, FiledObject, IngestLimits, IngestProgress } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";

/** A pack that has arrived in a file. */
export interface ArrivedPack {
  readonly path: string;
  readonly format: ObjectFormat;
  readonly temporaryFolder: string;
  readonly limits: Partial<IngestLimits>;
}

/** A delta base for the task: its content, or the file that holds it. */
export type SentObject = { id: ObjectId; type: ObjectType } & (
  | { data: Uint8Array<ArrayBuffer> }
  | Pick<FiledObject, "path">
);

/** Messages and questions of the task. */
export type FromIngest =
  | { readonly kind: "find-bases"; readonly ids: ObjectId[] }
  | { readonly kind: "progress"; readonly progress: IngestProgress };

/** The answer to a question for bases. */
export type FoundBases = { readonly objects: readonly SentObject[] } | { readonly failed: true };

/** An idle thread collects no garbage: after a larger pack it would hold 150 MB and more for nobody. */
const largePackBytes = 16 * 2 ** 20;

/** Takes a pack in: it has bounds of its own, and asks for the bases that the pack leaves out. */
export const ingestTask: Task<ArrivedPack, IngestOutcome> = {
  name: "ingest-pack",
  async run({ path, ...options }, port) {
    const { runIngest } = await import("./run-ingest.ts"); // threads alone load it
    return runIngest(path, {
      ...options,
      findBases: (ids) => askForBases(port, ids),
      signal: port.signal,
      onProgress: (progress) => port.post({ kind: "progress", progress } satisfies FromIngest),
    });
  },
  transfers(outcome) {
    if (!outcome.ok) return [];
    const { side, outside } = outcome.record;
    return [side, outside.ids, outside.types].map(({ buffer }) => buffer as ArrayBuffer);
  },
  endsThread: (outcome) => outcome.ok && outcome.record.packBytes > largePackBytes,
};

async function askForBases(port: TaskPort, ids: ObjectId[]): Promise<ReadonlyMap<ObjectId, DeltaBase>> {
  const answer = await new Promise<FoundBases>((resolve) => {
    port.onMessage((message) => resolve(message as FoundBases));
    port.post({ kind: "find-bases", ids } satisfies FromIngest);
  });
  if ("failed" in answer) throw new Error("the bases could not be read");
  return new Map(answer.objects.map((object) => [object.id, received(object)]));
}

function received(object: SentObject): DeltaBase {
  if ("path" in object) return { type: object.type, path: object.path };
  const { type, data } = object;
  return { type, data: Buffer.from(data.buffer, data.byteOffset, data.length) };
}
