import { fork } from "node:child_process";
import { once } from "node:events";
import {
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { lazy } from "#core/lazy";

/** The process that runs git, one for all files of this worker: its port. */
const backend = lazy(async () => {
  const child = fork(join(import.meta.dirname, "git-backend-process.mjs"), { execArgv: [] });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  child.unref();
  child.channel?.unref();
  return port;
});

async function serve(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url: path, headers } = request;
  const where = { host: "127.0.0.1", port: await backend(), agent: false, method, path } as const;
  const asked = ask({ ...where, headers: { ...headers, connection: "close", "x-folder": folder } });
  asked.on("response", (answer) => {
    const { connection: _, "transfer-encoding": __, ...given } = answer.headers;
    response.writeHead(answer.statusCode ?? 500, given);
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  });
  asked.on("error", () => response.destroy());
  response.on("close", () => asked.destroy());
  request.pipe(asked);
}

/** The peer: `git http-backend` behind a small bridge, serving the bare repositories of a folder. Not listening yet. */
export const createHttpBackend = (folder: string): Server =>
  createServer((request, response) => void serve(folder, request, response));
