import type { Forge } from "../forge.ts";
import type { JobValue } from "./job.table.ts";
import type { JobKind, JobStep } from "./job.ts";

/** How far a clearing up is: passes over all parts, each part in as many steps as it takes. */
export interface PassCursor {
  /** When this pass began, in milliseconds. */
  readonly beganAt: number;
  /** Place among the parts. */
  readonly part: number;
  /** Where the part goes on; absent at its beginning. */
  readonly inner?: number | string;
  /** Whether this pass has found anything yet. */
  readonly hasFound: boolean;
}

/** One step of one part: where it goes on (absent: the part is through), and whether it found anything. */
export interface PartStep {
  readonly inner?: number | string;
  readonly hasFound: boolean;
}

/** One pass: no request that saw the thing alive is left when it is late. */
export interface Pass {
  readonly isLate: boolean;
}

/** What is removed or mended, part by part. */
export interface Clearing<Arguments extends JobValue> {
  readonly parts: readonly ((
    forge: Forge,
    pass: Arguments & Pass,
    inner: number | string | undefined,
  ) => Promise<PartStep>)[];
  /** Since when new requests do not write such things any more, in milliseconds: a thing is hidden from everybody. */
  readonly since: (args: Arguments) => number;
  /** What comes at the very end. */
  readonly finish?: (forge: Forge, args: Arguments) => Promise<void>;
}

/** No request lives longer: what writes after that does not know the thing any more. */
const longestRequestMs = 15 * 60_000;

/**
 * A job that removes what something has left that is hidden already, or mends what older programs wrote. The first pass starts at once; later ones clear up
 * what requests under way still wrote, until one that began after the longest request finds nothing.
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
