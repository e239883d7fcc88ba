import { unavailable } from "#core/errors";

/** The time that an answer may take. */
export interface AnswerTime {
  /**
   * Aborted when the caller leaves or the time is over. Only operations that look at it call it, because making it
   * costs.
   */
  signal(): AbortSignal;
  /** Work that does not count: the time in which a client sends is not ours. */
  besides<T>(work: () => Promise<T>): Promise<T>;
}

const answerWithinMs = 25_000;

/** Answers whenever the work is done: for operations that take a file. */
export const withoutBound = (
  caller: Pick<Request, "signal">,
  work: (time: AnswerTime) => Promise<Response>,
): Promise<Response> => work({ signal: () => caller.signal, besides: (other) => other() });

/** Answers 503 when the work takes longer than 25 s, before the front gives up at 30 s (D-TIME). */
export async function withinTime(
  caller: Pick<Request, "signal">,
  work: (time: AnswerTime) => Promise<Response>,
): Promise<Response> {
  const timeout = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let until = performance.now() + answerWithinMs;
  let wait: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const end = () => {
      timeout.abort();
      reject(unavailable("the answer took too long; the work may or may not have been done"));
    };
    wait = () => {
      timer = setTimeout(end, until - performance.now());
    };
    wait();
  });
  const time: AnswerTime = {
    signal: () => AbortSignal.any([caller.signal, timeout.signal]),
    async besides(other) {
      clearTimeout(timer);
      const begun = performance.now();
      try {
        return await other();
      } finally {
        until += performance.now() - begun;
        wait();
      }
    },
  };
  try {
    return await Promise.race([work(time), late]);
  } finally {
    clearTimeout(timer);
  }
}
