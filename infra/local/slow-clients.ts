import type { Server } from "node:http";

/** How long a client may take with what it asked for. */
export interface ClientBounds {
  /** How long it may take nothing at all of what lies ready for it. */
  readonly stallMs: number;
  /** How long it may take for a whole answer. */
  readonly answerMs: number;
}

/**
 * Disconnects clients that don't take their answers, whatever these are: what is being sent is left then, and all that
 * it held is given back. One that goes on reading, however slowly, is no such client, and neither is one that waits for
 * us. Connections without a request are closed after the same time by Node itself.
 */
export function boundClients(server: Server, { stallMs, answerMs }: ClientBounds): void {
  server.setTimeout(stallMs);
  server.on("request", (request, response) => {
    const { socket } = request;
    // Told when nothing has passed in either direction, not even a part of a piece.
    response.on("timeout", () => {
      if (socket.writableLength > 0) socket.destroy();
    });
    const whole = setTimeout(() => socket.destroy(), answerMs);
    request.once("end", () => whole.refresh());
    response.once("close", () => clearTimeout(whole));
  });
}
