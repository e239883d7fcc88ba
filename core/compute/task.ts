/**
 * A computation over plain values whose cost a caller chooses. It runs on a thread, so that nobody else waits for it.
 * Values travel as structured clones; bytes that are members of the input or the output arrive as Buffers. A task
 * reports a wrong input as a value, because an error that crosses threads loses its kind.
 */
export interface Task<Input extends object, Output> {
  readonly name: string;
  /** Milliseconds until its thread is ended; absent for a task that bounds itself and obeys the port's signal. */
  readonly deadlineMs?: number;
  /** True for an input that takes at most a few milliseconds: it needs no thread. */
  readonly isSmall?: (input: Input) => boolean;
  /** Memory in the output that moves to the caller instead of being copied; absent: whole typed arrays. */
  readonly transfers?: (output: Output) => ArrayBuffer[];
  /** A thread that holds much memory after this output ends. */
  readonly endsThread?: (output: Output) => boolean;
  run(input: Input, port: TaskPort): Output | Promise<Output>;
}

/** The way from a running task to its caller. */
export interface TaskPort {
  readonly signal: AbortSignal;
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** The other end of it. */
export type TaskListener = (
  message: unknown,
  reply: (message: unknown, transfer?: readonly ArrayBuffer[]) => void,
) => void;

/** Why a computation came to no end. */
export type TaskEndReason = "time" | "memory" | "failed";

/** A computation that was ended: it took too long or too much memory, or its thread died. */
export class TaskEnded extends Error {
  readonly reason: TaskEndReason;

  constructor(task: string, reason: TaskEndReason, options?: ErrorOptions) {
    super(`${task}: ended for ${reason}`, options);
    this.name = "TaskEnded";
    this.reason = reason;
  }
}

/** How a computation is asked for. */
export interface ComputeOptions {
  /** The queue it waits in: `callerOf`. */
  readonly caller: string;
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
  readonly listener?: TaskListener;
}
