import type { Worker } from "node:worker_threads";
import type { ObjectId } from "../object/object-format.ts";
import { IngestError } from "./ingest-error.ts";
import type { FromWorker, SentObject, ToWorker } from "./ingest-messages.ts";
import { abortedError } from "./ingest-state.ts";
import type { DeltaBase, IngestOptions } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";

/** One ingest seen from the process: gives a worker its file, answers its questions, hears the outcome. */
export class IngestJob {
  readonly outcome: Promise<IngestOutcome>;
  private resolve: (outcome: IngestOutcome) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;
  private readonly path: string;
  private readonly options: IngestOptions;
  private worker: Worker | undefined;
  private isOver = false;
  /** What `findBases` threw here; the worker can't know it. */
  private cause: unknown;

  constructor(path: string, options: IngestOptions) {
    this.path = path;
    this.options = options;
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  private post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    if (!this.isOver) this.worker?.postMessage(message, transfer);
  }

  /** Refuses at once when no worker has it yet; else the worker stops and cleans up. */
  abort(): void {
    if (this.worker === undefined) this.end({ ok: false, reason: abortedError().reason });
    else this.post({ kind: "abort" });
  }

  private end(outcome: IngestOutcome): void {
    this.isOver = true;
    this.resolve(outcome);
  }

  private fail(error: unknown): void {
    this.isOver = true;
    this.reject(error);
  }

  /** Runs on a worker that has nothing else to do. Resolves when it is done; false when the worker died. */
  async runOn(worker: Worker): Promise<boolean> {
    this.worker = worker;
    const onMessage = (message: FromWorker) => this.receive(message);
    const { format, temporaryFolder, limits = {} } = this.options;
    const isAlive = new Promise<boolean>((resolve) => {
      const onError = (cause: unknown) => this.end(workerFailed(cause));
      const onExit = () => {
        this.end(workerFailed(undefined));
        resolve(false);
      };
      worker.on("message", onMessage).on("error", onError).once("exit", onExit);
      const release = () => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        resolve(true);
      };
      this.outcome.then(release, release);
    });
    this.post({ kind: "start", path: this.path, format, temporaryFolder, limits });
    return isAlive;
  }

  private receive(message: FromWorker): void {
    if (message.kind === "find-bases") void this.answer(message.ids);
    else if (message.kind === "progress") this.options.onProgress?.(message.progress);
    else if (message.kind === "failed") this.fail(this.cause ?? message.error);
    else this.end(withBuffers(message.outcome));
  }

  private async answer(ids: ObjectId[]): Promise<void> {
    try {
      const found = (await this.options.findBases?.(ids)) ?? new Map();
      const objects = [...found].map(sentObject);
      this.post(
        { kind: "bases", objects },
        objects.flatMap((object) => ("data" in object ? [object.data.buffer] : [])),
      );
    } catch (cause) {
      this.cause = cause;
      this.post({ kind: "bases-failed" });
    }
  }
}

function workerFailed(cause: unknown): IngestOutcome {
  const error = new IngestError("worker-failed", "the server failed while it took the pack in", { cause });
  return { ok: false, reason: error.reason };
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** What comes over the port as plain bytes, as it is declared. */
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

/** The content is copied, as the thread gets it for good. */
const sentObject = ([id, object]: [ObjectId, DeltaBase]): SentObject =>
  "path" in object ? { id, ...object } : { id, type: object.type, data: new Uint8Array(object.data) };
