import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { streamHandle } from "hono/aws-lambda";
import type { Blobs } from "#core/blobs";
import type { Config } from "#core/config";
import type { ObjectFormat } from "#core/git/format/object-format";
import { newRoot } from "#core/git/store/store";
import { createGitApp } from "#functions/git/app";
import type { GitAppOptions } from "#functions/git/git-app";
import type { GitResolver, ResolvedRepository } from "#functions/git/resolve-contract";
import { behindOrigin } from "#functions/http/origin";
import { startEdge } from "#tests/support/edge/edge";
import { installLambdaStreaming } from "#tests/support/edge/response-stream";
import { makeForge, type TestForge, type TestForgeOptions } from "#tests/support/forge";

/** A git server over the stand-ins, with repositories under `alice/`. Anybody may fetch and push unless `rules` differ. */
export interface GitServer extends TestForge {
  readonly app: ReturnType<typeof createGitApp>;
  readonly url: string;
  /** Makes an empty repository; answers its id and the URL to clone. */
  create(
    name: string,
    options?: { format?: ObjectFormat; defaultBranch?: string; rules?: Partial<ResolvedRepository> },
  ): Promise<{ id: number; url: string }>;
}

export type GitServerOptions = TestForgeOptions &
  Pick<GitAppOptions, "keepAliveMs" | "idleMs" | "temporaryFolder" | "pushBounds"> & {
    /** Clients come through the edge front, to the app as a Lambda function. */
    isBehindEdge?: boolean;
    /** Stands between the server and its objects, to slow reads down or to watch them. */
    wrapBlobs?: (blobs: Blobs) => Blobs;
    /** In place of what the settings say: also what no setting may be. */
    config?: Partial<Config>;
  };

// Repositories of all servers of a process share one bucket.
let lastId = 0;

/** Starts a server on a free loopback port. Stop it when the test file ends. */
export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const made = await makeForge(options);
  const repositories = new Map<string, ResolvedRepository>();
  const resolve: GitResolver = async ({ owner, repo }) =>
    repositories.get(`${owner}/${repo}`) ?? { ok: false, status: 404, message: "repository does not exist" };
  const { keepAliveMs, idleMs, temporaryFolder, pushBounds, wrapBlobs, isBehindEdge = false } = options;
  const blobs = wrapBlobs?.(made.forge.blobs) ?? made.forge.blobs;
  const app = createGitApp({
    forge: { ...made.forge, blobs, config: { ...made.forge.config, ...options.config } },
    resolve,
    ...(keepAliveMs !== undefined && { keepAliveMs }),
    ...(idleMs !== undefined && { idleMs }),
    ...(temporaryFolder !== undefined && { temporaryFolder }),
    ...(pushBounds !== undefined && { pushBounds }),
  });
  const front = await (isBehindEdge ? startFront(behindOrigin(app, made.forge.config)) : startPlain(app));
  const { url } = front;
  return {
    ...made,
    app,
    url,
    async create(name, { format = "sha1", defaultBranch = "main", rules = {} } = {}) {
      const id = ++lastId;
      await made.forge.table.write(newRoot(id, { format, defaultBranch }));
      repositories.set(`alice/${name}`, {
        ok: true,
        repository: { id, objectFormat: format },
        actorId: 7,
        ...rules,
      });
      return { id, url: `${url}/alice/${name}.git` };
    },
    async stop() {
      await front.stop();
      await made.stop();
    },
  };
}

interface Front {
  readonly url: string;
  stop(): Promise<void>;
}

async function startPlain(app: GitServer["app"]): Promise<Front> {
  // Only the client closes an idle connection: closing it here would race with its next request.
  const server = createServer({ keepAliveTimeout: 0 }, getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function startFront(app: Parameters<typeof streamHandle>[0]): Promise<Front> {
  installLambdaStreaming();
  const api = () => {
    throw new Error("the API was asked");
  };
  return startEdge({ api, git: streamHandle(app) });
}
