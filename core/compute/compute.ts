import type { ComputeOptions, Task } from "./task.ts";
import { ThreadPool, type ThreadPoolOptions } from "./thread-pool.ts";

let pool: ThreadPool | undefined;

/**
 * Has this process compute on threads from now on; undefined goes back to the calling thread. Resolves when the threads
 * of before are gone; what was on them fails.
 */
export async function useThreads(options: ThreadPoolOptions | undefined): Promise<void> {
  const old = pool;
  pool = options === undefined ? undefined : new ThreadPool(options);
  await old?.close();
}

/**
 * What a task makes of its input: at once for small ones, else on a thread when it is the caller's turn. Throws
 * TaskEnded past the task's bounds, RateLimited and Unavailable as `FairQueue` does, and the signal's reason.
 */
export async function compute<Input extends object, Output>(
  task: Task<Input, Output>,
  input: Input,
  options: ComputeOptions,
): Promise<Output> {
  return threadsFor(task, input)?.run(task, input, options) ?? computeHere(task, input, options);
}

/** The threads, where an input is for them. */
const threadsFor = <Input extends object>(
  task: Pick<Task<Input, never>, "isSmall">,
  input: Input,
): ThreadPool | undefined => (task.isSmall?.(input) === true ? undefined : pool);

/** On the calling thread: without the bound on time. */
async function computeHere<Input extends object, Output>(
  task: Task<Input, Output>,
  input: Input,
  { signal = new AbortController().signal, listener }: ComputeOptions,
): Promise<Output> {
  let hear: (message: unknown) => void = () => undefined;
  return task.run(input, {
    signal,
    post: (message) => listener?.(message, (reply) => hear(reply)),
    onMessage: (listen) => {
      hear = listen;
    },
  });
}

/** Computing for one caller: what a request or a job has of it. */
export type CallersCompute = <Input extends object, Output>(
  task: Task<Input, Output>,
  input: Input,
) => Promise<Output>;

/** Binds the caller; `signal` is asked for with each task that goes to a thread, as making one costs. */
export const computeFor =
  (caller: string, signal?: () => AbortSignal): CallersCompute =>
  (task, input) =>
    threadsFor(task, input)?.run(task, input, { caller, signal: signal?.() }) ??
    computeHere(task, input, { caller });
