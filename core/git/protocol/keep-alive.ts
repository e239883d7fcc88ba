/** How long an answer may stay silent: fronts cut silent origins after 20 s and more. */
export const keepAliveMs = 5_000;

/** Nothing has come so far. */
export const silence = Symbol("silence");

/**
 * Passes pieces through and puts `filler()` between them whenever none has come for `intervalMs`. The source must end
 * by itself when its consumer leaves (an AbortSignal), because this waits for it.
 */
export async function* withKeepAlive<T>(
  source: AsyncIterable<T>,
  filler: () => T,
  intervalMs: number = keepAliveMs,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = iterator.next();
      let result = await orSilence(next, intervalMs);
      while (result === silence) {
        yield filler();
        result = await orSilence(next, intervalMs);
      }
      if (result.done) return;
      yield result.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The result of a promise, or `silence` when that takes longer than `intervalMs`. */
export async function orSilence<T>(next: Promise<T>, intervalMs: number): Promise<T | typeof silence> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<typeof silence>((resolve) => {
    timer = setTimeout(resolve, intervalMs, silence);
  });
  try {
    return await Promise.race([next, pause]);
  } finally {
    clearTimeout(timer);
  }
}
