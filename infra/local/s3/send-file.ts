import { once } from "node:events";
import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";

const pieceBytes = 256 * 1024;

/** The client did not wait for the end of its answer. */
export class ClientLeft extends Error {
  constructor() {
    super("the client has left");
    this.name = "ClientLeft";
  }
}

/** A part of a file, `end` exclusive. */
interface FilePart {
  readonly start: number;
  readonly end: number;
}

/**
 * Sends part of a file and ends the answer. It uses two buffers: one is filled while the other is being sent, and
 * neither is written to before the socket has released it. Throws ClientLeft when the client leaves.
 */
export async function sendFile(
  file: FileHandle,
  { start, end }: FilePart,
  response: ServerResponse,
): Promise<void> {
  const over = new AbortController();
  const isClosed = once(response, "close", { signal: over.signal }).then(() => {
    if (!response.writableFinished) throw new ClientLeft();
  });
  isClosed.catch(() => undefined);
  try {
    const size = Math.min(pieceBytes, end - start);
    let [free, onItsWay] = [Buffer.allocUnsafeSlow(size), Buffer.alloc(0)];
    let sending: Promise<unknown> = Promise.resolve();
    for (let at = start; at < end; ) {
      const { bytesRead } = await file.read(free, 0, Math.min(size, end - at), at);
      if (bytesRead === 0) throw new Error("the file is shorter than expected");
      at += bytesRead;
      await Promise.race([sending, isClosed]);
      sending = written(response, free.subarray(0, bytesRead));
      sending.catch(() => undefined);
      if (onItsWay.length === 0 && at < end) onItsWay = Buffer.allocUnsafeSlow(size);
      [free, onItsWay] = [onItsWay, free];
    }
    await Promise.race([sending, isClosed]);
    response.end();
    await isClosed;
  } finally {
    over.abort();
  }
}

/** Resolves once the bytes have left this process. */
const written = (response: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    response.write(bytes, (error) => (error == null ? resolve() : reject(error)));
  });
