import { type ResourceLimits, Worker } from "node:worker_threads";
import { FairQueue } from "../../concurrency/fair-queue.ts";
import type { ComputeOptions, Task } from "../task.ts";
import { ThreadRun } from "./thread-run.ts";

/** Threads to compute on: a script that calls `serveTasks`, and how many threads run tasks at a time. */
export interface ThreadPoolOptions {
  readonly script: URL | string;
  /** The number for tasks with a deadline; as many more serve those without one, which may take minutes. */
  readonly threads: number;
  /** Megabytes of objects that one thread may hold: a hostile input may ask for more. Absent: 512. */
  readonly mostMegabytes?: number;
}

/** A caller's part of a minute of all threads. */
const allowanceMs = 20_000;
/** The objects of tasks die young: a larger nursery would only hold more garbage. */
const youngMegabytes = 4;

/** Threads that start when there is work, each with one task at a time; callers take turns. */
export class ThreadPool {
  readonly #script: URL | string;
  readonly #limits: ResourceLimits;
  readonly #short: FairQueue;
  readonly #long: FairQueue;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();

  constructor({ script, threads, mostMegabytes = 512 }: ThreadPoolOptions) {
    this.#script = script;
    this.#limits = { maxOldGenerationSizeMb: mostMegabytes, maxYoungGenerationSizeMb: youngMegabytes };
    this.#short = new FairQueue({ atOnce: threads, atOnceEach: Math.max(1, threads - 1), allowanceMs });
    this.#long = new FairQueue({
      atOnce: threads,
      atOnceEach: threads,
      mostWaiting: Number.POSITIVE_INFINITY, // the number of packs that callers may send is bounded before
      mostWaitingEach: Number.POSITIVE_INFINITY,
    });
  }

  /** Like `compute`, on a thread. */
  async run<Input extends object, Output>(
    task: Task<Input, Output>,
    input: Input,
    options: ComputeOptions,
  ): Promise<Output> {
    const queue = task.deadlineMs === undefined ? this.#long : this.#short;
    return queue.take(options.caller, () => this.#runNow(task, input, options), options.signal);
  }

  async #runNow<Input extends object, Output>(
    task: Task<Input, Output>,
    input: Input,
    options: ComputeOptions,
  ): Promise<Output> {
    const worker = this.#idle.pop() ?? this.#start();
    worker.ref();
    const run = new ThreadRun(worker, task, options);
    try {
      return await run.outcome(input);
    } finally {
      if (run.isThreadFree && this.#all.has(worker)) {
        worker.unref();
        this.#idle.push(worker);
      } else await worker.terminate();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { resourceLimits: this.#limits });
    this.#all.add(worker);
    // The waiting task learns of the error; without a listener it would end the process.
    worker.on("error", () => this.#all.delete(worker));
    worker.once("exit", () => {
      this.#all.delete(worker);
      const place = this.#idle.indexOf(worker);
      if (place >= 0) this.#idle.splice(place, 1);
    });
    return worker;
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }
}
