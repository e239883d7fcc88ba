import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import type { Caller, TestApi } from "#tests/support/api";

/** Git over HTTP on a real socket, beside the API of a test. */
export interface ServedGit {
  /** The URL of a repository, with a caller's token in it. */
  url(path: string, as?: Caller): string;
  stop(): Promise<void>;
}

/** Serves the repositories of a test's API to real git. */
export async function serveGit({ forge }: TestApi): Promise<ServedGit> {
  const app = createGitApp({ forge, resolve: createGitResolver(forge) });
  // Only the client closes an idle connection: closing it here would race with its next request.
  const server = createServer({ keepAliveTimeout: 0 }, getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: (path, as) => `http://${as === undefined ? "" : `${as.name}:${as.token}@`}${host}/${path}.git`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
