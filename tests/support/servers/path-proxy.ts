import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { onFileFinished } from "../suite/file-end.ts";

/** A proxy that shares its address with others: it leads one path to a service, and knows nothing of the rest. */
export interface PathProxy {
  /** The address of the service as browsers see it, with the path. */
  readonly url: string;
  /** What it was asked for outside that path. */
  readonly strays: string[];
  leadTo(port: number): void;
}

interface ProxyOptions {
  /** The name by which browsers reach it. */
  readonly host?: string;
  /** With it, it speaks https. */
  readonly tls?: ServerOptions;
}

/** Starts it; it ends with the test file. `path` begins with a slash, which it takes off what it hands on. */
export async function startPathProxy(
  path: string,
  { host = "127.0.0.1", tls }: ProxyOptions = {},
): Promise<PathProxy> {
  let port = 0;
  const strays: string[] = [];
  const pass = async (asked: IncomingMessage, answer: ServerResponse) => {
    const { method, headers, url = "/" } = asked;
    if (!url.startsWith(`${path}/`)) {
      strays.push(url);
      return void answer.writeHead(404).end();
    }
    const handedOn = request({ host: "127.0.0.1", port, method, headers, path: url.slice(path.length) });
    const [[given]] = await Promise.all([once(handedOn, "response"), pipeline(asked, handedOn)]);
    answer.writeHead(given.statusCode, given.headers);
    await pipeline(given, answer);
  };
  const serve = (asked: IncomingMessage, answer: ServerResponse) => {
    pass(asked, answer).catch(() => answer.destroy());
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onFileFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `${tls === undefined ? "http" : "https"}://${host}:${(server.address() as AddressInfo).port}${path}`,
    strays,
    leadTo(to) {
      port = to;
    },
  };
}
