import { type Intake, unboundedIntake } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { type PushBounds, PushSlots } from "#core/git/ingest/push-slots";
import type { GitResolver } from "./resolve-contract.ts";

/** The options of the git front. */
export interface GitAppOptions {
  readonly forge: Forge;
  readonly resolve: GitResolver;
  /** Where packs are spooled while they are checked; absent: the system's temporary folder. */
  readonly temporaryFolder?: string;
  /** How long an answer may stay silent; 5 s when absent. */
  readonly keepAliveMs?: number;
  /** Bounds how much callers make this process hold; absent: nothing does, as when one request is served at a time. */
  readonly intake?: Intake;
  /** How long a client's pace is measured while it sends, and how long it may take in all; absent: 2 min and 6 h. */
  readonly idleMs?: number;
  readonly totalMs?: number;
  /** The bounds on concurrent pushes that are no settings. */
  readonly pushBounds?: Partial<PushBounds>;
}

/** The same, whole. */
export interface GitApp extends GitAppOptions {
  readonly intake: Intake;
  readonly slots: PushSlots;
}

/** One account has at most half of the places. */
const slotsOf = ({ forge: { config }, intake, pushBounds = {} }: GitAppOptions): PushSlots =>
  new PushSlots(
    {
      most: config.gitMaxPushes,
      mostPerPusher: Math.ceil(config.gitMaxPushes / 2),
      spoolBytes: config.gitMaxSpoolBytes,
      ...pushBounds,
    },
    intake?.disk,
  );

/** Fills in the defaults. */
export const gitApp = (given: GitAppOptions): GitApp => ({
  intake: unboundedIntake(),
  ...given,
  slots: slotsOf(given),
});
