import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { drainOnStop } from "./http/drain.ts";
import { chooseLoopbackHost } from "./loopback-address.ts";

/** An HTTP server that only this machine can reach. */
export interface LoopbackServer {
  /** Such as `http://127.23.5.6:41234`. */
  endpoint: string;
  /** Takes no more requests, lets running ones finish for up to two seconds, then cuts them. May be called twice. */
  stop(): Promise<void>;
}

const stopGraceMs = 2_000;

/** Listens on a random loopback address and a free port. `handle` must not throw. */
export async function listenOnLoopback(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LoopbackServer> {
  // An upload may take as long as it takes, and only the client closes an idle connection: closing it here would race
  // with the client's next request on it.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, handle);
  const stop = drainOnStop(server, stopGraceMs);
  const host = chooseLoopbackHost();
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(0, host, done);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return {
    endpoint: `http://${host}:${address.port}`,
    stop,
  };
}
