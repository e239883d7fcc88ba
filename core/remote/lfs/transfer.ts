import { createHash } from "node:crypto";
import { RemoteError } from "../../git/client/remote-failure.ts";
import { WatchedBody } from "../../git/client/watched-body.ts";
import type { LfsPointer } from "../../lfs/pointer.ts";
import { type LfsAction, lfsStatusFailure } from "./batch.ts";
import { type LfsRemote, lfsMediaType } from "./lfs-remote.ts";

const idleMs = 30_000;
const verifyMs = 60_000;
const mostRedirects = 5;
/** A transfer that is slower is given up … */
const leastBytesPerMs = 64;
/** … and so is one that takes longer: it has to end within the 15 minutes of a function. */
const longestMs = 10 * 60_000;

const timeFor = (sizeBytes: number): number =>
  Math.min(longestMs, idleMs + Math.ceil(sizeBytes / leastBytesPerMs));

type Transfer = { readonly action: LfsAction; readonly verify?: LfsAction };

/**
 * The bytes of an object as they come. RemoteError instead of the last of them unless they have the object's size and
 * hash.
 */
export async function* lfsObjectFrom(
  { client }: LfsRemote,
  { oid, sizeBytes }: LfsPointer,
  { href, headers }: LfsAction,
): AsyncGenerator<Uint8Array> {
  const answer = await client.open({
    ...{ url: href, method: "GET", headers, idleTimeoutMs: idleMs, totalTimeoutMs: timeFor(sizeBytes) },
    ...{ maxBodyBytes: sizeBytes, maxRedirects: mostRedirects },
  });
  if (answer.kind === "refused") throw new RemoteError("refused", answer.reason);
  if (answer.kind === "no-answer") throw new RemoteError("unreachable", answer.reason);
  try {
    if (answer.status !== 200) throw lfsStatusFailure(answer.status);
    const hash = createHash("sha256");
    let size = 0;
    let held: Uint8Array | undefined;
    for await (const piece of answer.body) {
      size += piece.length;
      hash.update(piece);
      if (held !== undefined) yield held;
      held = piece;
    }
    if (size !== sizeBytes)
      throw new RemoteError("protocol", `the LFS server sent ${size} bytes of ${sizeBytes}`);
    if (hash.digest("hex") !== oid) throw new RemoteError("protocol", "the LFS server sent other bytes");
    if (held !== undefined) yield held;
  } finally {
    answer.close();
  }
}

/** Sends an object to where the server wants it, and has it verified when the server asks for that. */
export async function sendLfsObject(
  remote: LfsRemote,
  { oid, sizeBytes }: LfsPointer,
  { action: { href, headers }, verify }: Transfer,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const body = new WatchedBody(content);
  const answer = await remote.client.open({
    ...{ url: href, method: "PUT", body, idleTimeoutMs: idleMs, totalTimeoutMs: timeFor(sizeBytes) },
    headers: {
      "content-type": "application/octet-stream",
      ...headers,
      "content-length": String(sizeBytes),
    },
  });
  if (answer.kind === "opened") answer.close();
  if (body.failure !== undefined) throw body.failure;
  if (answer.kind === "refused") throw new RemoteError("refused", answer.reason);
  if (answer.kind === "no-answer") throw new RemoteError("unreachable", answer.reason);
  if (answer.status >= 300) throw lfsStatusFailure(answer.status);
  if (verify !== undefined) await verifyLfsObject(remote, { oid, sizeBytes }, verify);
}

async function verifyLfsObject(
  { client }: LfsRemote,
  { oid, sizeBytes: size }: LfsPointer,
  { href, headers }: LfsAction,
): Promise<void> {
  const outcome = await client.send({
    ...{ url: href, method: "POST", totalTimeoutMs: verifyMs, body: JSON.stringify({ oid, size }) },
    headers: { accept: lfsMediaType, "content-type": lfsMediaType, ...headers },
  });
  if (outcome.kind === "refused") throw new RemoteError("refused", outcome.reason);
  if (outcome.kind === "no-answer") throw new RemoteError("unreachable", outcome.reason);
  if (outcome.status >= 300) throw lfsStatusFailure(outcome.status);
}
