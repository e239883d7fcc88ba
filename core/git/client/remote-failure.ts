import { ProtocolError } from "../protocol/protocol-error.ts";

/** Why something with a remote did not succeed. `message` is for whoever set the remote up. */
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
    /** What the remote itself said on its way of saying errors. */
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

/** What work with a remote gives, or why it gives nothing. */
export type RemoteOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: RemoteFailure };

/** Runs work with a remote; what the remote does wrong is a value, all else is thrown on. */
export async function remoteOutcome<T>(work: () => Promise<T>): Promise<RemoteOutcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const reason = failureOf(error);
    if (reason === undefined) throw error;
    return { ok: false, reason };
  }
}

/** The failure that an error stands for, the transport's BrokenTransfer too; undefined when it is our own. */
export function failureOf(error: unknown): RemoteFailure | undefined {
  if (error instanceof RemoteError) return error.reason;
  if (error instanceof ProtocolError) return { kind: "protocol", message: `the remote: ${error.message}` };
  const { name, message, cutBy } = error as Error & { cutBy?: string };
  if (name !== "BrokenTransfer") return undefined;
  return { kind: cutBy === "size" ? "too-large" : "unreachable", message };
}

/** Text of a remote for people: one line, no control characters, not without end. */
export const remoteText = (bytes: Buffer): string =>
  bytes
    .toString("utf8", 0, 2_000)
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 500);
