/** How an answer that is made while it is sent comes to its end. */
export interface StreamAnswerOptions {
  readonly headers: Record<string, string>;
  /** Aborted when the client leaves, so that the work behind the pieces ends. */
  readonly abort: AbortController;
  /** Called with the error that broke the answer after it had begun. */
  onBroken(error: unknown): void;
}

/**
 * Sends pieces as they are asked for, no faster than the client reads. The first piece is made before the answer
 * begins: its errors are thrown here and can still become a status.
 */
export async function streamAnswer(
  pieces: AsyncGenerator<Uint8Array>,
  { headers, abort, onBroken }: StreamAnswerOptions,
): Promise<Response> {
  let ahead: IteratorResult<Uint8Array> | undefined = await pieces.next();
  // A stream without a byte never begins on Lambda, whose front takes that for a failure.
  if (ahead.done) return new Response(null, { status: 200, headers });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const result = ahead ?? (await pieces.next());
          ahead = undefined;
          if (result.done) controller.close();
          else controller.enqueue(result.value);
        } catch (error) {
          if (!abort.signal.aborted) onBroken(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        abort.abort(reason ?? new Error("the client has left"));
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: 200, headers });
}
