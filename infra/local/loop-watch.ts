import type { Log } from "#core/log";
import { threadCpuClock } from "./thread-cpu.ts";

const tickMs = 20;
/** No request is to keep the others waiting for longer. */
const defaultStallMs = 100;
const mostNamed = 10;

/**
 * Logs when the event loop was busy for long at a time, and the operations in progress: one of them did it, mostly the
 * first, which began last. It looks while something is in progress, every 20 ms. `busyMs` has the time in it that the
 * machine gave to other programs, `cpuMs` what the loop computed itself (where the system tells).
 */
export class LoopWatch {
  readonly #log: Log;
  readonly #stallMs: number;
  readonly #underWay = new Set<{ readonly name: string }>();
  #timer: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  readonly #cpuClock: (() => number) | undefined;
  #cpuAt = 0;

  constructor(log: Log, { stallMs = defaultStallMs, cpuClock = threadCpuClock() } = {}) {
    this.#log = log;
    this.#stallMs = stallMs;
    this.#cpuClock = cpuClock;
  }

  /** Notes that something is under way until the answer is called. */
  begin(name: string): () => void {
    const one = { name };
    this.#underWay.add(one);
    if (this.#timer === undefined) {
      this.#tickedAt = performance.now();
      this.#cpuAt = this.#cpuClock?.() ?? 0;
      this.#timer = setInterval(() => this.#tick(), tickMs);
      this.#timer.unref();
    }
    return () => {
      this.#underWay.delete(one);
      if (this.#underWay.size > 0) return;
      this.#tick();
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Notes that work is under way. */
  async during<T>(name: string, work: () => Promise<T>): Promise<T> {
    const end = this.begin(name);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #tick(): void {
    const now = performance.now();
    const busyMs = Math.round(now - this.#tickedAt - tickMs);
    this.#tickedAt = now;
    const cpu = this.#cpuClock?.();
    const cpuMs = cpu === undefined ? {} : { cpuMs: Math.round(cpu - this.#cpuAt) };
    this.#cpuAt = cpu ?? 0;
    if (busyMs < this.#stallMs) return;
    const operations = [...this.#underWay].toReversed().map(({ name }) => name);
    this.#log.warn("loop:stalled", { busyMs, ...cpuMs, operations: operations.slice(0, mostNamed) });
  }
}
