import type { GitRefusal, GitService } from "./resolve-contract.ts";

/** Keeps every front and client from storing an answer, in the words of git servers. */
const noCache = {
  "cache-control": "no-cache, max-age=0, must-revalidate, no-transform",
  pragma: "no-cache",
  expires: "Fri, 01 Jan 1980 00:00:00 GMT",
} as const;

const challenge = 'Basic realm="Coldforge", charset="UTF-8"';

/** A plain text answer; git shows it to its user line by line. */
export function textAnswer(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...noCache, ...headers },
  });
}

/** A refusal: without credentials even "not found" asks for some, because a private repository looks the same. */
export function refusalAnswer(refusal: GitRefusal, hasCredentials: boolean): Response {
  const isChallenge = refusal.status === 401 || (refusal.status === 404 && !hasCredentials);
  if (!isChallenge) {
    const { status, message, retryAfterSeconds } = refusal;
    const later: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
    return textAnswer(status, message, later);
  }
  const message = refusal.status === 401 ? refusal.message : "log in to see whether this repository exists";
  return textAnswer(401, message, { "www-authenticate": challenge });
}

/** Headers of git's own answers. */
export const gitHeaders = (
  service: GitService,
  kind: "advertisement" | "result",
): Record<string, string> => ({
  "content-type": `application/x-git-${service}-pack-${kind}`,
  ...noCache,
});
