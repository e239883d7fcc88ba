import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";

/** A request as raw as Node's client sends it: the path untouched, repeated headers kept apart. */
export interface Ask {
  method?: string;
  path: string;
  headers?: Record<string, string | string[]>;
  /** Sent in chunks of its own when it is a list. */
  body?: string | Buffer | string[];
  trailers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Asks and reads the whole answer; rejects when the connection breaks before its end. */
export function ask(
  url: string,
  { method = "GET", path, headers = {}, body, trailers }: Ask,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = httpRequest({ hostname, port, method, path, headers, agent: false }, (answer) => {
      buffer(answer).then(
        (received) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: received }),
        reject,
      );
    });
    sent.on("error", reject);
    if (Array.isArray(body)) for (const piece of body) sent.write(piece);
    if (trailers !== undefined) sent.addTrailers(trailers);
    sent.end(Array.isArray(body) ? undefined : body);
  });
}
