import type { Server } from "node:http";

/** How long a client may take with its answer. */
export interface ClientBounds {
  /** How long it may take nothing at all of the bytes ready for it. */
  readonly stallMs: number;
  /** How long it may take for a whole answer. */
  readonly answerMs: number;
}

/**
 * Disconnects clients that don't take their answers: the answer is abandoned then, and everything that it held is given
 * back. A client that keeps reading, however slowly, is not affected, and neither is one that waits for us. Node itself
 * closes connections without a request after the same time.
 */
export function boundClients(server: Server, { stallMs, answerMs }: ClientBounds): void {
  server.setTimeout(stallMs);
  server.on("request", (request, response) => {
    const { socket } = request;
    // Called when nothing has passed in either direction, not even a part of a piece.
    response.on("timeout", () => {
      if (socket.writableLength > 0) socket.destroy();
    });
    const whole = setTimeout(() => socket.destroy(), answerMs);
    request.once("end", () => whole.refresh());
    response.once("close", () => clearTimeout(whole));
  });
}
