import { ProtocolError } from "../protocol/protocol-error.ts";

/** Why something with a remote failed. `message` is for the people who set the remote up. */
export interface RemoteFailure {
  readonly kind: /** Our own rules forbid to go there. */
    | "refused"
    | "unreachable"
    | "unauthorized"
    | "not-found"
    /** An answer that no git server gives. */
    | "protocol"
    | "object-format"
    | "too-large"
    /** The remote's own error message. */
    | "remote-error"
    /** The pack did not pass the checks that pushes pass. */
    | "bad-pack";
  readonly message: string;
}

/** Carries a failure up to the verbs of this folder, which turn it into a value. */
export class RemoteError extends Error {
  readonly reason: RemoteFailure;

  constructor(kind: RemoteFailure["kind"], message: string) {
    super(message);
    this.name = "RemoteError";
    this.reason = { kind, message };
  }
}

/** The result of work with a remote, or why there is none. */
export type RemoteOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: RemoteFailure };

/** Runs work with a remote; the remote's faults are values, all other errors are thrown on. */
export async function remoteOutcome<T>(work: () => Promise<T>): Promise<RemoteOutcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const reason = failureOf(error);
    if (reason === undefined) throw error;
    return { ok: false, reason };
  }
}

/** The failure behind an error, the transport's BrokenTransfer included; undefined when it is our own. */
export function failureOf(error: unknown): RemoteFailure | undefined {
  if (error instanceof RemoteError) return error.reason;
  if (error instanceof ProtocolError) return { kind: "protocol", message: `the remote: ${error.message}` };
  const { name, message, cutBy } = error as Error & { cutBy?: string };
  if (name !== "BrokenTransfer") return undefined;
  return { kind: cutBy === "size" ? "too-large" : "unreachable", message };
}

/** Text of a remote for people: one line, no control characters, bounded. */
export const remoteText = (bytes: Buffer): string =>
  bytes
    .toString("utf8", 0, 2_000)
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 500);
