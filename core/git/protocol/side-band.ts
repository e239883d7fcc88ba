/** Bands of side-band-64k (gitprotocol-pack): the data, messages for people, and an error that ends it. */
export const band = { data: 1, progress: 2, error: 3 } as const;

/** The most payload bytes of a frame: a packet of 65,520 bytes without its length and the band. */
export const maxFrameBytes = 65_515;

/** The same for the older side-band, whose packets have at most 1,000 bytes. */
export const smallFrameBytes = 995;

function openFrame(number: number, size: number): Buffer {
  const frame = Buffer.allocUnsafeSlow(size + 5);
  frame.write((size + 5).toString(16).padStart(4, "0"), 0, "latin1");
  frame[4] = number;
  return frame;
}

/** One frame; longer data is cut. */
export function bandFrame(number: number, data: string | Uint8Array): Buffer {
  const bytes = (typeof data === "string" ? Buffer.from(data) : data).subarray(0, maxFrameBytes);
  const frame = openFrame(number, bytes.length);
  frame.set(bytes, 5);
  return frame;
}

/** A frame that says nothing and keeps the connection from looking dead. */
export const keepAliveFrame: Buffer = bandFrame(band.progress, "");

/** Data in full frames. The pieces are copied, so they may be reused once the next is asked for. */
export async function* bandFrames(
  number: number,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  frameBytes = maxFrameBytes,
): AsyncGenerator<Buffer> {
  let frame = openFrame(number, frameBytes);
  let used = 5;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const size = Math.min(piece.length - at, frame.length - used);
      frame.set(piece.subarray(at, at + size), used);
      used += size;
      at += size;
      if (used < frame.length) continue;
      yield frame;
      frame = openFrame(number, frameBytes);
      used = 5;
    }
  }
  if (used === 5) return;
  frame.write(used.toString(16).padStart(4, "0"), 0, "latin1");
  yield frame.subarray(0, used);
}
