/** Sizes at the start of a delta. */
export interface DeltaHeader {
  baseSize: number;
  resultSize: number;
  /** The start of the instructions. */
  at: number;
}

/** Reads a delta's two sizes; undefined when they are cut short or absurd. */
export function readDeltaHeader(delta: Uint8Array, start: number, end: number): DeltaHeader | undefined {
  const header: DeltaHeader = { baseSize: 0, resultSize: 0, at: start };
  for (const key of ["baseSize", "resultSize"] as const) {
    let scale = 1;
    for (;;) {
      if (header.at >= end || scale > 2 ** 49) return undefined;
      const byte = delta[header.at++] as number;
      header[key] += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) break;
    }
  }
  return header;
}

/** Part of a buffer. */
export interface ByteRange {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** Below this many bytes a loop beats a call of `set`. */
const smallCopy = 40;

/**
 * Applies a delta's instructions (gitformat-pack, "Deltified representation"): `delta` starts behind its header, `base`
 * is the whole base, `target` has exactly the result's size. False when an instruction reads or writes outside, or the
 * result is not filled exactly.
 */
export function applyDelta(delta: ByteRange, base: ByteRange, target: ByteRange): boolean {
  return continueDelta({ delta, base, target, at: delta.start, to: target.start }) === true;
}

/** A delta in progress: the next instruction, and where its bytes go. */
export interface DeltaRun {
  readonly delta: ByteRange;
  readonly base: ByteRange;
  readonly target: ByteRange;
  at: number;
  to: number;
}

/** Applies instructions until `most` bytes are made; undefined when there are more, else like `applyDelta`. */
export function continueDelta(run: DeltaRun, most = Number.POSITIVE_INFINITY): boolean | undefined {
  const { delta, base, target } = run;
  const code = delta.bytes;
  const out = target.bytes;
  const baseSize = base.end - base.start;
  let { at, to } = run;
  const stop = to + most;
  while (at < delta.end && to < stop) {
    const op = code[at++] as number;
    if (op < 0x80) {
      if (op === 0 || at + op > delta.end || to + op > target.end) return false;
      copyBytes(code, at, out, to, op);
      at += op;
      to += op;
      continue;
    }
    let from = 0;
    let size = 0;
    if (op & 0x01) from = code[at++] as number;
    if (op & 0x02) from |= (code[at++] as number) << 8;
    if (op & 0x04) from |= (code[at++] as number) << 16;
    if (op & 0x08) from = (from | ((code[at++] as number) << 24)) >>> 0;
    if (op & 0x10) size = code[at++] as number;
    if (op & 0x20) size |= (code[at++] as number) << 8;
    if (op & 0x40) size |= (code[at++] as number) << 16;
    if (size === 0) size = 0x10000;
    if (at > delta.end || from + size > baseSize || to + size > target.end) return false;
    copyBytes(base.bytes, base.start + from, out, to, size);
    to += size;
  }
  run.at = at;
  run.to = to;
  return at < delta.end ? undefined : to === target.end;
}

function copyBytes(source: Uint8Array, from: number, target: Uint8Array, to: number, size: number): void {
  if (size < smallCopy) {
    for (let i = 0; i < size; i++) target[to + i] = source[from + i] as number;
  } else if (source === target) {
    target.copyWithin(to, from, from + size);
  } else {
    target.set(source.subarray(from, from + size), to);
  }
}
