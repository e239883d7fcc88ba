import { type MessagePort, parentPort } from "node:worker_threads";
import type { ObjectId } from "../object/object-format.ts";
import type { FromWorker, SentObject, ToWorker } from "./ingest-messages.ts";
import type { DeltaBase } from "./ingest-types.ts";
import { type IngestOutcome, runIngest } from "./run-ingest.ts";

/** The entry of a worker thread that takes packs in, one after another. */
function serveIngests(port: MessagePort): void {
  let ingest: WorkerIngest | undefined;
  port.on("message", (message: ToWorker) => {
    if (message.kind === "start") {
      ingest = new WorkerIngest(port);
      void ingest.run(message);
    } else ingest?.receive(message);
  });
}

/** One ingest on this thread: what comes over the port are the answers to its questions. */
class WorkerIngest {
  private readonly port: MessagePort;
  private readonly abort = new AbortController();
  private answer: ((message: ToWorker) => void) | undefined;

  constructor(port: MessagePort) {
    this.port = port;
  }

  private post(message: FromWorker, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transfer);
  }

  receive(message: ToWorker): void {
    if (message.kind === "abort") this.abort.abort();
    else this.answer?.(message);
  }

  async run(start: ToWorker & { kind: "start" }): Promise<void> {
    try {
      const outcome = await runIngest(start.path, {
        format: start.format,
        temporaryFolder: start.temporaryFolder,
        limits: start.limits,
        findBases: (ids) => this.findBases(ids),
        signal: this.abort.signal,
        onProgress: (progress) => this.post({ kind: "progress", progress }),
      });
      this.post({ kind: "done", outcome }, transferable(outcome));
    } catch (error) {
      this.post({ kind: "failed", error });
    }
  }

  private async findBases(ids: ObjectId[]): Promise<ReadonlyMap<ObjectId, DeltaBase>> {
    const answer = await new Promise<ToWorker>((resolve) => {
      this.answer = resolve;
      this.post({ kind: "find-bases", ids });
    });
    if (answer.kind !== "bases") throw new Error("the bases could not be read");
    return new Map(answer.objects.map((object) => [object.id, received(object)]));
  }
}

function received(object: SentObject): DeltaBase {
  if ("path" in object) return { type: object.type, path: object.path };
  const { type, data } = object;
  return { type, data: Buffer.from(data.buffer, data.byteOffset, data.length) };
}

function transferable(outcome: IngestOutcome): ArrayBuffer[] {
  if (!outcome.ok) return [];
  const { side, outside } = outcome.record;
  return [side, outside.ids, outside.types].map(({ buffer }) => buffer as ArrayBuffer);
}

if (parentPort !== null) serveIngests(parentPort);
