import type { Worker } from "node:worker_threads";
import { type ComputeOptions, type Task, TaskEnded } from "../task.ts";
import { type FromThread, type ToThread, withBuffers, withoutSurroundings } from "./thread-messages.ts";

/** One task on one thread, seen from the process. */
export class ThreadRun<Input extends object, Output> {
  readonly #worker: Worker;
  readonly #task: Task<Input, Output>;
  readonly #options: ComputeOptions;
  #isThreadFree = false;

  constructor(worker: Worker, task: Task<Input, Output>, options: ComputeOptions) {
    this.#worker = worker;
    this.#task = task;
    this.#options = options;
  }

  /** Whether the thread has finished the task and may run the next. */
  get isThreadFree(): boolean {
    return this.#isThreadFree;
  }

  /** The task's output for its input. Throws as `compute` does. */
  async outcome(input: Input): Promise<Output> {
    const { deadlineMs } = this.#task;
    const { signal } = this.#options;
    let resolve: (output: Output) => void = () => undefined;
    let reject: (error: unknown) => void = () => undefined;
    const outcome = new Promise<Output>((onDone, onFailed) => {
      [resolve, reject] = [onDone, onFailed];
    });
    const listeners = {
      message: (message: FromThread) => this.#receive(message, resolve, reject),
      error: (error: unknown) => reject(this.#ended(isOutOfMemory(error) ? "memory" : "failed", error)),
      exit: () => reject(this.#ended("failed", undefined)),
    };
    const stop = () => (deadlineMs === undefined ? this.#post({ kind: "abort" }) : reject(signal?.reason));
    const deadline =
      deadlineMs === undefined
        ? undefined
        : setTimeout(() => reject(this.#ended("time", undefined)), deadlineMs);
    for (const [event, listener] of Object.entries(listeners)) this.#worker.on(event, listener);
    signal?.addEventListener("abort", stop);
    try {
      this.#post({ kind: "run", task: this.#task.name, input: withoutSurroundings(input) });
      return await outcome;
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", stop);
      for (const [event, listener] of Object.entries(listeners)) this.#worker.off(event, listener);
    }
  }

  #receive(message: FromThread, resolve: (output: Output) => void, reject: (error: unknown) => void): void {
    if (message.kind === "message") {
      this.#options.listener?.(message.message, (reply, transfer) =>
        this.#post({ kind: "message", message: reply }, transfer),
      );
      return;
    }
    this.#isThreadFree = message.kind === "failed" || !message.endsThread;
    if (message.kind === "done") resolve(withBuffers(message.output as Output));
    else reject(message.error);
  }

  #ended = (reason: TaskEnded["reason"], cause: unknown): TaskEnded =>
    new TaskEnded(this.#task.name, reason, { cause });

  #post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
