import type { IncomingMessage, ServerResponse } from "node:http";

/** Answers a request by `git http-backend`, from the bare repositories of a folder. */
export function serveByGit(folder: string, request: IncomingMessage, response: ServerResponse): void;
