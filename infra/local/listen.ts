import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:https";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import type { LauncherConfig } from "./settings.ts";
import { StartError } from "./start-error.ts";

const drainMs = 10_000;
/** As long as a Lambda function may run: a slow push is no reason to cut the connection earlier. */
const requestTimeoutMs = 15 * 60_000;

/** Serves the site on HOST and PORT. `stop` lets what is in flight end for ten seconds. Throws StartError. */
export async function listen(
  site: Hono,
  launcher: LauncherConfig,
): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createAdaptorServer({ fetch: site.fetch, ...tlsOptions(launcher) }) as Server;
  server.requestTimeout = requestTimeoutMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(startError(error, launcher)));
    server.listen(launcher.port, launcher.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : launcher.port,
    stop: () => drain(server),
  };
}

function tlsOptions(launcher: LauncherConfig) {
  if (launcher.tlsCertificate === "") return {};
  const read = (path: string, variable: string) => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new StartError(`setting ${variable}: can't read ${path}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
  const serverOptions = {
    cert: read(launcher.tlsCertificate, "TLS_CERT"),
    key: read(launcher.tlsKey, "TLS_KEY"),
  };
  return { createServer, serverOptions };
}

function startError(error: NodeJS.ErrnoException, { host, port }: LauncherConfig): Error {
  if (error.code === "EADDRINUSE") {
    return new StartError(`Port ${port} on ${host} is in use. Stop what uses it, or set PORT to another.`, {
      cause: error,
    });
  }
  if (error.code === "EACCES") {
    return new StartError(`Not allowed to listen on port ${port}. Set PORT to one above 1023.`, {
      cause: error,
    });
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new StartError(`This machine has no address ${host}. Set HOST to one of its own.`, {
      cause: error,
    });
  }
  return error;
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
