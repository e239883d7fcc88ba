import type { SentAnswer } from "#core/capacity/intake";
import type { Awaited } from "#core/concurrency/awaited";
import { unavailable } from "#core/errors";
import { ClientLeft } from "../body/incoming-body.ts";

/** The time that an answer may take. It is over when the caller leaves, too. */
export interface AnswerTime extends Awaited {
  /**
   * Aborted when the caller leaves or the time is over, unless something was written. Only operations that look at it
   * call it, because making it costs.
   */
  signal(): AbortSignal;
  /** Work that does not count: the time in which a client sends is not ours. */
  besides<T>(work: () => Promise<T>): Promise<T>;
}

/** The caller of a request, as far as they show that they wait for its answer. */
interface WaitingCaller {
  readonly request: Pick<Request, "signal">;
  /** Absent: only the request's signal tells. */
  readonly sent?: SentAnswer | undefined;
}

const answerWithinMs = 25_000;

/** Until when the answer of one request is awaited. */
class AnswerWait implements Awaited {
  readonly #caller: WaitingCaller;
  #controller: AbortController | undefined;
  #reason: unknown;
  #isWriting = false;

  constructor(caller: WaitingCaller) {
    this.#caller = caller;
  }

  end(reason: unknown): void {
    if (this.#isWriting) return;
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }

  throwIfAborted(): void {
    if (this.#caller.sent?.closed === true) this.end(new ClientLeft("its answer was made"));
    if (this.#reason !== undefined) throw this.#reason;
  }

  beginWriting(): void {
    if (!this.#isWriting) this.throwIfAborted();
    this.#isWriting = true;
  }

  signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    this.#controller = new AbortController();
    const { signal } = this.#caller.request;
    const leave = () => this.end(new ClientLeft("its answer was made", signal.reason));
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
}

/** Answers whenever the work is done: for operations that take a file. */
export function withoutBound(
  caller: WaitingCaller,
  work: (time: AnswerTime) => Promise<Response>,
): Promise<Response> {
  const wait = new AnswerWait(caller);
  return work(timeOf(wait, (other) => other()));
}

const timeOf = (wait: AnswerWait, besides: AnswerTime["besides"]): AnswerTime => ({
  besides,
  signal: () => wait.signal(),
  throwIfAborted: () => wait.throwIfAborted(),
  beginWriting: () => wait.beginWriting(),
});

/** Answers 503 when the work takes longer than 25 s, before the front gives up at 30 s (D-TIME). */
export async function withinTime(
  caller: WaitingCaller,
  work: (time: AnswerTime) => Promise<Response>,
): Promise<Response> {
  const wait = new AnswerWait(caller);
  let timer: NodeJS.Timeout | undefined;
  let until = performance.now() + answerWithinMs;
  let start: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const end = () => {
      const refusal = unavailable("the answer took too long; the work may or may not have been done");
      wait.end(refusal);
      reject(refusal);
    };
    start = () => {
      timer = setTimeout(end, until - performance.now());
    };
    start();
  });
  const time = timeOf(wait, async (other) => {
    clearTimeout(timer);
    const begun = performance.now();
    try {
      return await other();
    } finally {
      until += performance.now() - begun;
      start();
    }
  });
  try {
    return await Promise.race([work(time), late]);
  } finally {
    clearTimeout(timer);
  }
}
