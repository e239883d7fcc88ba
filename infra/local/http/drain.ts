import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

/**
 * Makes an HTTP or HTTPS server stoppable: the returned function takes no more connections, closes those without a
 * running request at once and the others after their answer, and cuts the rest after `graceMs`. It may be called twice.
 * Node's own `closeIdleConnections` spares connections that never sent anything.
 */
export function drainOnStop(server: Server, graceMs: number): () => Promise<void> {
  const underWay = new Map<Socket, number>();
  let stopped: Promise<void> | undefined;
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    underWay.set(socket, 0);
    socket.once("close", () => underWay.delete(socket));
    if (stopped) socket.destroy();
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (underWay.get(socket) ?? 1) - 1;
      if (underWay.has(socket)) underWay.set(socket, left);
      if (stopped && left === 0) socket.destroySoon();
    });
  });
  return () => {
    stopped ??= new Promise((resolve) => {
      const force = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(force);
        resolve();
      });
      for (const [socket, requests] of underWay) if (requests === 0) socket.destroySoon();
    });
    return stopped;
  };
}
