import { type MessagePort, parentPort } from "node:worker_threads";
import type { ObjectId } from "../object/object-format.ts";
import type { GitObject } from "../object/object-type.ts";
import type { FromWorker, SentObject, ToWorker } from "./ingest-messages.ts";
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

/** One ingest on this thread: what comes over the port becomes its source and the answers to its questions. */
class WorkerIngest {
  private readonly port: MessagePort;
  private readonly abort = new AbortController();
  private readonly arrived: ToWorker[] = [];
  private wake: (() => void) | undefined;
  private answer: ((message: ToWorker) => void) | undefined;

  constructor(port: MessagePort) {
    this.port = port;
  }

  private post(message: FromWorker, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transfer);
  }

  receive(message: ToWorker): void {
    if (message.kind === "abort") this.abort.abort();
    else if (message.kind === "bases" || message.kind === "bases-failed") this.answer?.(message);
    else {
      this.arrived.push(message);
      this.wake?.();
    }
  }

  async run(start: ToWorker & { kind: "start" }): Promise<void> {
    try {
      const outcome = await runIngest(this.source(), {
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

  private async *source(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const message = this.arrived.shift();
      if (message === undefined) {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      } else if (message.kind === "chunk") {
        yield message.bytes;
        this.post({ kind: "taken" });
      } else if (message.kind === "end") {
        return;
      } else {
        throw new Error("the source failed");
      }
    }
  }

  private async findBases(ids: ObjectId[]): Promise<Map<ObjectId, GitObject>> {
    const answer = await new Promise<ToWorker>((resolve) => {
      this.answer = resolve;
      this.post({ kind: "find-bases", ids });
    });
    if (answer.kind !== "bases") throw new Error("the bases could not be read");
    return new Map(answer.objects.map((object) => [object.id, received(object)]));
  }
}

const received = ({ type, data }: SentObject): GitObject => ({
  type,
  data: Buffer.from(data.buffer, data.byteOffset, data.length),
});

function transferable(outcome: IngestOutcome): ArrayBuffer[] {
  if (!outcome.ok) return [];
  const { side, outside } = outcome.record;
  return [side, outside.ids, outside.types].map(({ buffer }) => buffer as ArrayBuffer);
}

if (parentPort !== null) serveIngests(parentPort);
