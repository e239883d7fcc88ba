import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { JobValue } from "./job.table.ts";
import type { JobKind, JobStep } from "./job.ts";

/** Where a part goes on; absent at its beginning. */
export type PartCursor = number | string;

/** The result of one step of one part: whether it found anything, whether it is to go on, and from where (`inner`). */
export interface PartStep {
  readonly hasFound: boolean;
  readonly hasMore: boolean;
  readonly inner?: PartCursor | undefined;
}

/** A part of a long work; a step does a bounded piece of it, and bears being repeated. */
export interface Part<Subject> {
  /** Kept in the job between its steps: a program with other parts goes on with the same one. */
  readonly name: string;
  readonly step: (forge: Forge, subject: Subject, inner: PartCursor | undefined) => Promise<PartStep>;
}

/** The place of a job among its parts. */
interface Place {
  /** The name of the part; absent before the first, empty when all are through. */
  readonly part?: string;
  readonly inner?: PartCursor;
}

/**
 * Goes on at a place, past parts that find nothing, until one has found something or is to go on. Answers the next place;
 * undefined when all parts were through before. A part of no known name is the first.
 */
async function stepAt<Subject>(
  parts: readonly Part<Subject>[],
  forge: Forge,
  subject: Subject,
  { part, inner }: Place,
): Promise<(Place & { readonly hasFound: boolean }) | undefined> {
  if (part === allThrough) return undefined;
  const known = parts.findIndex(({ name }) => name === part);
  for (const [at, current] of parts.entries()) {
    if (at < known) continue;
    const step = await current.step(forge, subject, at === known ? inner : undefined);
    if (step.hasMore)
      return { part: current.name, hasFound: step.hasFound, ...defined({ inner: step.inner }) };
    if (step.hasFound) return { part: parts[at + 1]?.name ?? allThrough, hasFound: true };
  }
  return { part: allThrough, hasFound: false };
}

const allThrough = "";

/** A job that does its parts once, one after the other. */
export const inTurn = <Arguments extends JobValue>(
  parts: readonly Part<Arguments>[],
): JobKind<Arguments, Place> => ({
  async step(forge, args, cursor) {
    const next = await stepAt(parts, forge, args, cursor ?? {});
    if (next === undefined || next.part === allThrough) return { done: true };
    const { hasFound: _, ...place } = next;
    return { cursor: place };
  },
});

/** The progress of a clean-up: passes over all parts, each part in as many steps as it takes. */
export interface PassCursor extends Place {
  /** When this pass began, in milliseconds. */
  readonly beganAt: number;
  /** Whether this pass has found anything yet. */
  readonly hasFound: boolean;
}

/** One pass: when it is late, no request that saw the thing alive is left. */
export interface Pass {
  readonly isLate: boolean;
}

/** The parts that are removed or mended. */
export interface Clearing<Arguments extends JobValue> {
  readonly parts: readonly Part<Arguments & Pass>[];
  /** Since when new requests don't write such items any more, in milliseconds: the thing is hidden from everybody. */
  readonly since: (args: Arguments) => number;
  /** The very last step. */
  readonly finish?: (forge: Forge, args: Arguments) => Promise<void>;
}

/** No request lives longer: later requests don't know the thing any more. */
const longestRequestMs = 15 * 60_000;

/**
 * A job that removes the rest of a hidden thing, or brings items to what this program writes. The first pass starts at
 * once; later ones remove what running requests still wrote, until a pass that began after the longest request finds
 * nothing.
 */
export const clearingUp = <Arguments extends JobValue>({
  parts,
  since,
  finish,
}: Clearing<Arguments>): JobKind<Arguments, PassCursor> => ({
  async step(forge, args, cursor) {
    const now = forge.clock.now();
    const { beganAt, hasFound, ...place } = cursor ?? { beganAt: now, hasFound: false };
    // A crash may have kept the job from resting.
    if (beganAt > now) return passAt(beganAt, now);
    const lateAt = since(args) + longestRequestMs;
    const isLate = beganAt >= lateAt;
    const next = await stepAt(parts, forge, { ...args, isLate }, place);
    if (next !== undefined) return { cursor: { ...next, beganAt, hasFound: hasFound || next.hasFound } };
    if (!isLate) return passAt(lateAt, now);
    if (hasFound) return passAt(now, now);
    await finish?.(forge, args);
    return { done: true };
  },
});

/** The next pass: not before `beganAt`, and never before now. */
function passAt(beganAt: number, now: number): JobStep<PassCursor> {
  const cursor = { beganAt: Math.max(beganAt, now), hasFound: false };
  return beganAt > now ? { cursor, waitMs: beganAt - now } : { cursor };
}
