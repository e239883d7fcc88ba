import { Worker } from "node:worker_threads";
import { IngestJob } from "./ingest-job.ts";
import { abortedError } from "./ingest-state.ts";
import type { IngestOptions } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";

/** Threads that ingests run on: a bundled `ingest-worker.ts`, and how many. */
export interface IngestWorkers {
  script: URL | string;
  threads: number;
  /** A thread that took a larger pack in ends after it; 16 MiB when absent. */
  largePackBytes?: number;
}

/** An idle thread collects no garbage: after a larger pack it holds 150 MB and more for nobody. */
const defaultLargePackBytes = 16 * 2 ** 20;

/** What an ingest allocates on the heap dies at once: a larger nursery, of up to 48 MB, would be as full of garbage. */
const youngMegabytes = 3;

let pool: IngestPool | undefined;

/**
 * Makes every ingest of this process run on worker threads; undefined goes back to the calling thread. Resolves when
 * the threads of an earlier setting are gone; ingests still on them fail.
 */
export async function useIngestWorkers(workers: IngestWorkers | undefined): Promise<void> {
  const old = pool;
  pool = workers === undefined ? undefined : new IngestPool(workers);
  await old?.close();
}

/** The threads in use, if any. */
export const ingestPool = (): IngestPool | undefined => pool;

/** Worker threads, started when there is work, each with one ingest at a time; the rest wait in line. */
export class IngestPool {
  private readonly workers: IngestWorkers;
  private readonly idle: Worker[] = [];
  private readonly all = new Set<Worker>();
  private readonly waiting: IngestJob[] = [];

  constructor(workers: IngestWorkers) {
    this.workers = workers;
  }

  /** As `runIngest`. A worker that dies is a failed ingest; the next one gets a new worker. */
  async run(path: string, options: IngestOptions): Promise<IngestOutcome> {
    if (options.signal?.aborted === true) return { ok: false, reason: abortedError().reason };
    const job = new IngestJob(path, options);
    const stop = () => {
      const place = this.waiting.indexOf(job);
      if (place >= 0) this.waiting.splice(place, 1);
      job.abort();
    };
    options.signal?.addEventListener("abort", stop);
    this.waiting.push(job);
    this.startWaiting();
    try {
      return await job.outcome;
    } finally {
      options.signal?.removeEventListener("abort", stop);
    }
  }

  private startWaiting(): void {
    while (this.waiting.length > 0) {
      const worker = this.idle.pop() ?? this.startWorker();
      const job = worker === undefined ? undefined : this.waiting.shift();
      if (worker === undefined || job === undefined) return;
      void this.work(worker, job);
    }
  }

  private startWorker(): Worker | undefined {
    if (this.all.size >= this.workers.threads) return undefined;
    const worker = new Worker(this.workers.script, {
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    });
    this.all.add(worker);
    worker.once("exit", () => {
      this.all.delete(worker);
      const place = this.idle.indexOf(worker);
      if (place >= 0) this.idle.splice(place, 1);
      this.startWaiting();
    });
    // Without a listener a dying worker would take the process with it; its job listens for itself.
    worker.on("error", () => this.all.delete(worker));
    return worker;
  }

  private async work(worker: Worker, job: IngestJob): Promise<void> {
    worker.ref();
    const isAlive = await job.runOn(worker);
    if (isAlive && this.all.has(worker)) {
      worker.unref();
      if (await this.isLarge(job)) await worker.terminate();
      else this.idle.push(worker);
    }
    this.startWaiting();
  }

  private async isLarge({ outcome }: IngestJob): Promise<boolean> {
    const result = await outcome.catch(() => undefined);
    if (result?.ok !== true) return false;
    return result.record.packBytes > (this.workers.largePackBytes ?? defaultLargePackBytes);
  }

  /** Ends all threads; waiting ingests are refused. */
  async close(): Promise<void> {
    for (const job of this.waiting.splice(0)) job.abort();
    await Promise.all([...this.all].map((worker) => worker.terminate()));
  }
}
