/** The result of the work, or, when the signal is aborted first, that of `reasonOf`: the signal's reason. */
export async function orAborted<T>(
  work: T | Promise<T>,
  signal: AbortSignal | undefined,
  reasonOf: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return work;
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(reasonOf());
  });
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([stopped, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
