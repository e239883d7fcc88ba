import { ThreadPool, type ThreadPoolOptions } from "./internal/thread-pool.ts";
import type { ComputeOptions, Task } from "./task.ts";

let pool: ThreadPool | undefined;

/**
 * Makes this process compute on threads from now on; undefined returns to the calling thread. Resolves when the former
 * threads are gone; their tasks fail.
 */
export async function useThreads(options: ThreadPoolOptions | undefined): Promise<void> {
  const old = pool;
  pool = options === undefined ? undefined : new ThreadPool(options);
  await old?.close();
}

/**
 * Runs a task on an input: at once when it is small, else on a thread in the caller's turn. Throws TaskEnded past the
 * task's bounds, RateLimited and Unavailable as `FairQueue` does, and the signal's reason.
 */
export async function compute<Input extends object, Output>(
  task: Task<Input, Output>,
  input: Input,
  options: ComputeOptions,
): Promise<Output> {
  return threadsFor(task, input)?.run(task, input, options) ?? computeHere(task, input, options);
}

/** The threads, when an input needs them. */
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

/** Computing for one caller, for a request or a job. */
export type CallersCompute = <Input extends object, Output>(
  task: Task<Input, Output>,
  input: Input,
) => Promise<Output>;

/** Binds the caller. `signal` is called only for tasks that go to a thread, because making a signal costs. */
export const computeFor =
  (caller: string, signal?: () => AbortSignal): CallersCompute =>
  (task, input) =>
    threadsFor(task, input)?.run(task, input, { caller, signal: signal?.() }) ??
    computeHere(task, input, { caller });
