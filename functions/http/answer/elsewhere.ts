import type { FileAnswer } from "./file-answer.ts";
import { Reply } from "./reply.ts";

/** Lambda streams 200 MB; S3 serves larger files, if clients reach it. */
export const mostStreamedBytes = 150 * 2 ** 20;

/** Sends a client to where a file lies. */
export const redirectTo = (location: string): Reply<FileAnswer> =>
  new Reply(undefined as never, { status: 302, headers: { location, "cache-control": "no-store" } });
