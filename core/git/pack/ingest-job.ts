import type { Worker } from "node:worker_threads";
import type { ObjectId } from "../object/object-format.ts";
import { IngestError } from "./ingest-error.ts";
import type { FromWorker, ToWorker } from "./ingest-messages.ts";
import { abortedError } from "./ingest-state.ts";
import type { IngestOptions } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";

/** Bytes gathered into one message, and messages on their way at a time. */
const chunkBytes = 256 * 1024;
const chunksInFlight = 4;

/** One ingest seen from the process: feeds a worker, answers its questions, hears the outcome. */
export class IngestJob {
  readonly outcome: Promise<IngestOutcome>;
  private resolve: (outcome: IngestOutcome) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;
  private readonly source: AsyncIterable<Uint8Array>;
  private readonly options: IngestOptions;
  private worker: Worker | undefined;
  private isOver = false;
  private inFlight = 0;
  private resume: (() => void) | undefined;
  /** What the source or `findBases` threw here; the worker can't know it. */
  private cause: unknown;

  constructor(source: AsyncIterable<Uint8Array>, options: IngestOptions) {
    this.source = source;
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
    this.resume?.();
    this.resolve(outcome);
  }

  private fail(error: unknown): void {
    this.isOver = true;
    this.resume?.();
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
    this.post({ kind: "start", format, temporaryFolder, limits });
    void this.pump();
    return isAlive;
  }

  private receive(message: FromWorker): void {
    if (message.kind === "taken") {
      this.inFlight--;
      this.resume?.();
    } else if (message.kind === "find-bases") void this.answer(message.ids);
    else if (message.kind === "progress") this.options.onProgress?.(message.progress);
    else if (message.kind === "failed") this.fail(this.cause ?? message.error);
    else this.end(this.withCause(message.outcome));
  }

  private withCause(outcome: IngestOutcome): IngestOutcome {
    if (outcome.ok) {
      const { side, outside } = outcome.record;
      return {
        ok: true,
        record: {
          ...outcome.record,
          side: asBuffer(side),
          outside: { ...outside, ids: asBuffer(outside.ids) },
        },
      };
    }
    if (outcome.reason.kind !== "source-failed") return outcome;
    return { ok: false, reason: { ...outcome.reason, cause: this.cause } };
  }

  /** Sends the source on in large pieces, never more than the worker keeps up with. */
  private async pump(): Promise<void> {
    let room = new Uint8Array(chunkBytes);
    let used = 0;
    const send = async () => {
      const bytes = room.subarray(0, used);
      room = new Uint8Array(chunkBytes);
      used = 0;
      this.inFlight++;
      this.post({ kind: "chunk", bytes }, [bytes.buffer]);
      while (this.inFlight >= chunksInFlight && !this.isOver) await this.pause();
    };
    try {
      for await (const chunk of uninterrupted(this.source)) {
        for (let at = 0; at < chunk.length && !this.isOver; ) {
          const part = chunk.subarray(at, at + chunkBytes - used);
          room.set(part, used);
          used += part.length;
          at += part.length;
          if (used === chunkBytes) await send();
        }
        if (this.isOver) return;
      }
      if (used > 0) await send();
      this.post({ kind: "end" });
    } catch (cause) {
      this.cause = cause;
      this.post({ kind: "source-failed" });
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  private async answer(ids: ObjectId[]): Promise<void> {
    try {
      const found = (await this.options.findBases?.(ids)) ?? new Map();
      const objects = [...found].map(([id, { type, data }]) => ({ id, type, data: new Uint8Array(data) }));
      this.post(
        { kind: "bases", objects },
        objects.map(({ data }) => data.buffer),
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

/** The source without its `return`: leaving the loop leaves the source as it is, for its owner to drain or destroy. */
const uninterrupted = (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = source[Symbol.asyncIterator]();
    return { next: () => iterator.next() };
  },
});
