import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { unavailable, unprocessable } from "../errors.ts";
import { FairQueue } from "../fair-queue.ts";
import type { RenderAnswer, RenderRequest } from "./render-worker.ts";

/** A hostile text may take long and much memory: over either bound its thread is ended. A megabyte of prose takes 2 s. */
const defaultLongestMs = 10_000;
const mostMegabytes = 512;

/** Whose text it is: what takes turns. Aborted when he does not wait any more. */
interface RenderCaller {
  readonly caller: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Renders texts on a thread of its own, one after another, so that no text holds up a server and no caller the others,
 * and loads what renders with the first. The thread is kept; one that was ended is replaced.
 */
export class RenderThread {
  readonly #script: URL | string;
  readonly #longestMs: number;
  #worker: Worker | undefined;
  readonly #queue = new FairQueue({ atOnce: 1, atOnceEach: 1, mostWaitingEach: 8, allowanceMs: 5_000 });

  /** `script` is the bundled `render-worker.ts`. */
  constructor(script: URL | string, { longestMs = defaultLongestMs } = {}) {
    this.#script = script;
    this.#longestMs = longestMs;
  }

  /** 422 for what takes too long, too much memory or becomes too long; RateLimited as `FairQueue` says. */
  render(request: RenderRequest, { caller, signal }: RenderCaller): Promise<string> {
    return this.#queue.take(caller, async () => {
      if (signal?.aborted === true) throw unavailable("the caller did not wait");
      return this.#run(request);
    });
  }

  async #run(request: RenderRequest): Promise<string> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const timeout = AbortSignal.timeout(this.#longestMs);
    worker.ref();
    try {
      const answered = once(worker, "message", { signal: timeout });
      worker.postMessage(request);
      const [{ html }] = (await answered) as [RenderAnswer];
      if (html === undefined)
        throw unprocessable(`the text becomes more than ${request.mostBytes} bytes of HTML`);
      worker.unref();
      return html;
    } catch (error) {
      if (!timeout.aborted && !isOutOfMemory(error)) throw error;
      await this.close();
      throw unprocessable("the text takes too long or too much memory to render; simplify or shorten it");
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { resourceLimits: { maxOldGenerationSizeMb: mostMegabytes } });
    worker.on("error", () => undefined); // told to whoever waits; without a listener it would end the process
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  /** Ends the thread; the next text gets a new one. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
