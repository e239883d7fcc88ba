import type { Readable } from "node:stream";

/** A request as it stands between CloudFront and an origin: headers in lower case, repeated ones joined. */
export interface EdgeRequest {
  readonly method: string;
  /** As the client sent it, neither decoded nor cut. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body: no front hands it on in pieces. */
  readonly body: Buffer;
}

/** An origin's answer. Names of headers are in lower case; one name may stand twice. */
export interface EdgeAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | Readable;
}

/** An answer that a front gives by itself. */
export function frontAnswer(status: number, message: string): EdgeAnswer {
  const body = Buffer.from(JSON.stringify({ message }));
  return { status, headers: [["content-type", "application/json"]], body };
}
