import type { Server } from "node:http";
import { createServer } from "node:https";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { noteArrival } from "#core/concurrency/give-way";
import type { LauncherConfig } from "../settings.ts";
import { StartError } from "../start-error.ts";
import { readCertificate } from "./certificate.ts";
import { drainOnStop } from "./drain.ts";
import { type AnswerBounds, boundAnswers } from "./held-answers.ts";
import { mergePieces } from "./merged-pieces.ts";
import { type NodeBindings, oneAfterAnother } from "./pipelined.ts";
import { boundClients } from "./slow-clients.ts";

const drainMs = 10_000;
/**
 * How long a request may take to arrive, and its answer to be taken. Longer than the six hours that git gives a push;
 * every front ends slow bodies by itself.
 */
const longestMs = 7 * 3_600_000;

/** The service's port, held before it can answer. */
export interface Listener {
  /** The real one, when PORT is 0. */
  readonly port: number;
  /** Answers with this site from now on; earlier requests waited for it. */
  serve(site: Hono, answers: AnswerBounds): void;
  /** Closes idle connections at once and gives running requests ten seconds. */
  stop(): Promise<void>;
}

/** Takes HOST and PORT: first of all, so that a start on a port in use changes nothing. Throws StartError. */
export async function listen(launcher: LauncherConfig): Promise<Listener> {
  let open: (site: Hono) => void = () => undefined;
  const opened = new Promise<Hono>((resolve) => {
    open = resolve;
  });
  let site: Hono | undefined;
  const answer = (request: Request, environment: NodeBindings) =>
    site === undefined
      ? opened.then((ready) => ready.fetch(request, environment))
      : site.fetch(request, environment);
  const server = createAdaptorServer({ fetch: oneAfterAnother(answer), ...tlsOptions(launcher) }) as Server;
  mergePieces(server);
  server.on("connection", noteArrival);
  server.requestTimeout = longestMs;
  boundClients(server, { stallMs: launcher.stallSeconds * 1000, answerMs: longestMs });
  const stop = drainOnStop(server, drainMs);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(startError(error, launcher)));
    server.listen(launcher.port, launcher.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : launcher.port,
    serve(ready, answers) {
      boundAnswers(server, answers);
      site = ready;
      open(ready);
    },
    stop() {
      if (site === undefined) server.closeAllConnections(); // nobody will answer the waiting requests
      return stop();
    },
  };
}

function tlsOptions({ tlsCertificate, tlsKey }: LauncherConfig) {
  return tlsCertificate === ""
    ? {}
    : { createServer, serverOptions: readCertificate(tlsCertificate, tlsKey) };
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
  if (["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"].includes(error.code ?? "")) {
    return new StartError(`This machine has no address ${host}. Set HOST to one of its own.`, {
      cause: error,
    });
  }
  return error;
}
