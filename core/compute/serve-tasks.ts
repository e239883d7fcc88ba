import type { MessagePort } from "node:worker_threads";
import { type FromThread, ownMemory, type ToThread, withBuffers } from "./internal/thread-messages.ts";
import type { Task, TaskPort } from "./task.ts";

/** Tasks of any kind: the caller of one knows its types. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and outputs differ by task
export type AnyTask = Task<any, any>;

/** Makes a thread run these tasks, one at a time, as its process asks for them. */
export function serveTasks(port: MessagePort, tasks: readonly AnyTask[]): void {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  let running: RunningTask | undefined;
  port.on("message", (message: ToThread) => {
    if (message.kind === "run") {
      running = new RunningTask(port);
      void running.run(byName.get(message.task), message);
    } else running?.receive(message);
  });
}

class RunningTask {
  readonly #port: MessagePort;
  readonly #abort = new AbortController();
  #hear: (message: unknown) => void = () => undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  receive(message: Exclude<ToThread, { kind: "run" }>): void {
    if (message.kind === "abort") this.#abort.abort();
    else this.#hear(message.message);
  }

  async run(task: AnyTask | undefined, asked: { readonly task: string; readonly input: object }) {
    const port: TaskPort = {
      signal: this.#abort.signal,
      post: (message) => this.#post({ kind: "message", message }),
      onMessage: (listener) => {
        this.#hear = listener;
      },
    };
    try {
      if (task === undefined) throw new Error(`this thread knows no task ${asked.task}`);
      const output = await task.run(withBuffers(asked.input), port);
      const endsThread = task.endsThread?.(output) === true;
      this.#post({ kind: "done", output, endsThread }, task.transfers?.(output) ?? ownMemory(output));
    } catch (error) {
      this.#post({ kind: "failed", error });
    }
  }

  #post(message: FromThread, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
