import type { Forge } from "../forge.ts";
import type { JobValue } from "./job.table.ts";
import type { JobKind, JobStep } from "./job.ts";

/** The progress of a clean-up: passes over all parts, each part in as many steps as it takes. */
export interface PassCursor {
  /** When this pass began, in milliseconds. */
  readonly beganAt: number;
  /** Place among the parts. */
  readonly part: number;
  /** The cursor of the part; absent at its beginning. */
  readonly inner?: number | string;
  /** Whether this pass has found anything yet. */
  readonly hasFound: boolean;
}

/** The result of one step of one part: the next cursor (absent: the part is through), and whether it found anything. */
export interface PartStep {
  readonly inner?: number | string;
  readonly hasFound: boolean;
}

/** One pass: when it is late, no request that saw the thing alive is left. */
export interface Pass {
  readonly isLate: boolean;
}

/** The parts that are removed or mended. */
export interface Clearing<Arguments extends JobValue> {
  readonly parts: readonly ((
    forge: Forge,
    pass: Arguments & Pass,
    inner: number | string | undefined,
  ) => Promise<PartStep>)[];
  /** Since when new requests don't write such items any more, in milliseconds: the thing is hidden from everybody. */
  readonly since: (args: Arguments) => number;
  /** The very last step. */
  readonly finish?: (forge: Forge, args: Arguments) => Promise<void>;
}

/** No request lives longer: later requests don't know the thing any more. */
const longestRequestMs = 15 * 60_000;

/**
 * A job that removes the rest of a hidden thing, or mends items of older programs. The first pass starts at once; later
 * ones remove what running requests still wrote, until a pass that began after the longest request finds nothing.
 */
export const clearingUp = <Arguments extends JobValue>({
  parts,
  since,
  finish,
}: Clearing<Arguments>): JobKind<Arguments, PassCursor> => ({
  async step(forge, args, cursor) {
    const now = forge.clock.now();
    const { beganAt, part, inner, hasFound } = cursor ?? { beganAt: now, part: 0, hasFound: false };
    // A crash may have kept the job from resting.
    if (beganAt > now) return passAt(beganAt, now);
    const lateAt = since(args) + longestRequestMs;
    const isLate = beganAt >= lateAt;
    const current = parts[part];
    if (current !== undefined) {
      const done = await current(forge, { ...args, isLate }, inner);
      const next = done.inner === undefined ? { part: part + 1 } : { part, inner: done.inner };
      return { cursor: { beganAt, ...next, hasFound: hasFound || done.hasFound } };
    }
    if (!isLate) return passAt(lateAt, now);
    if (hasFound) return passAt(now, now);
    await finish?.(forge, args);
    return { done: true };
  },
});

/** The next pass: not before `beganAt`, and never before now. */
function passAt(beganAt: number, now: number): JobStep<PassCursor> {
  const cursor = { beganAt: Math.max(beganAt, now), part: 0, hasFound: false };
  return beganAt > now ? { cursor, waitMs: beganAt - now } : { cursor };
}
