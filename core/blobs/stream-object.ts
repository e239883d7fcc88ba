import type { Bucket } from "./bucket.ts";
import { type Rest, received } from "./internal/received.ts";

/** The bytes read into memory at once for a slow reader: as much as each of them may take up. */
const partBytes = 2 ** 20;
/** The same while others hold the memory: as much as a connection takes anyhow. */
const smallPartBytes = 64 * 1024;
/** All slow readers together count as one caller. */
const slowReaders = "slow readers";
/**
 * A reader that takes longer than this for this many bytes is slow: below four megabytes a second. The connections of
 * all readers at that speed are together more than a process can serve, so slow readers never make anybody wait for a
 * connection.
 */
const patienceMs = 250;
/** A reader that took so many parts fast in a row gets a connection again. */
const partsToTrust = 8;

/**
 * An object, or its bytes from `start` up to but without `end`, as fast as the reader takes them. One request serves a
 * fast reader. A slow reader gets parts out of memory, each fetched when the one before is taken, and holds no
 * connection to the bucket meanwhile: the reader's time doesn't count as the bucket's silence, and slow readers leave
 * the connections to others. Throws BlobMissing.
 */
export async function* streamObject(
  bucket: Bucket,
  key: string,
  start = 0,
  end?: number,
): AsyncGenerator<Uint8Array, void> {
  const rest: Rest = { key, at: start, end };
  for (let fastParts = partsToTrust; rest.end === undefined || rest.at < rest.end; ) {
    const isShort = rest.end !== undefined && rest.end - rest.at <= partBytes;
    if (isShort || fastParts < partsToTrust) {
      fastParts = (yield* part(bucket, rest)) ? fastParts + 1 : 0;
    } else {
      if (yield* flow(bucket, rest)) return;
      fastParts = 0;
    }
  }
}

/** Streams by one request, and leaves it when the reader turns out to be slow: false then. */
async function* flow(bucket: Bucket, rest: Rest): AsyncGenerator<Uint8Array, boolean> {
  const source = received(bucket, rest);
  let isLeft = false;
  const held = new Held(() => {
    isLeft = true;
    void source.return();
  });
  try {
    for (;;) {
      const { done, value } = await source.next();
      if (done) return !isLeft;
      held.begin();
      yield value;
      if (held.end(value.length)) return false;
    }
  } finally {
    held.stop();
    await source.return();
  }
}

/** Measures how long a reader holds a connection; calls `onLate` when that is too long. */
class Held {
  readonly #timer: NodeJS.Timeout;
  #since: number | undefined;
  #ms = 0;
  #bytes = 0;

  constructor(onLate: () => void) {
    this.#timer = setTimeout(() => {
      if (this.#since !== undefined) onLate();
    }, patienceMs);
  }

  begin(): void {
    this.#since = performance.now();
    this.#timer.refresh();
  }

  /** True when the reader took too long for the last bytes of a part, or for the whole part. */
  end(bytes: number): boolean {
    this.#ms += performance.now() - (this.#since ?? 0);
    this.#since = undefined;
    if (this.#ms >= patienceMs) return true;
    this.#bytes += bytes;
    if (this.#bytes >= partBytes) [this.#ms, this.#bytes] = [0, 0];
    return false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** One part out of memory, freed as the reader takes it; true when the reader took it fast. */
async function* part(bucket: Bucket, rest: Rest): AsyncGenerator<Uint8Array, boolean> {
  const room = bucket.memory?.open(slowReaders);
  const isCrowded = room?.grow(partBytes) !== undefined;
  if (isCrowded) room?.add(smallPartBytes);
  try {
    const size = isCrowded ? smallPartBytes : partBytes;
    const end = Math.min(rest.at + size, rest.end ?? Number.POSITIVE_INFINITY);
    const wanted: Rest = { key: rest.key, at: rest.at, end };
    const chunks: Uint8Array[] = [];
    for await (const chunk of received(bucket, wanted)) chunks.push(chunk);
    rest.at = wanted.at;
    if (wanted.at < end) rest.end = wanted.at; // the object is shorter than the caller said
    const since = performance.now();
    chunks.reverse();
    for (let chunk = chunks.pop(); chunk !== undefined; chunk = chunks.pop()) yield chunk;
    return performance.now() - since < (patienceMs * size) / partBytes;
  } finally {
    room?.release();
  }
}
