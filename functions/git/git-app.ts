import type { Forge } from "#core/forge";
import { type PushBounds, PushSlots } from "#core/git/ingest/push-slots";
import { type Intake, unboundedIntake } from "#core/intake";
import type { GitResolver } from "./resolve-contract.ts";

/** What the git front is made of. */
export interface GitAppOptions {
  readonly forge: Forge;
  readonly resolve: GitResolver;
  /** Where packs are spooled while they are checked; the system's temporary folder when absent. */
  readonly temporaryFolder?: string;
  /** How long an answer may stay silent; 5 s when absent. */
  readonly keepAliveMs?: number;
  /** Bounds what callers make this process hold; nothing does when absent, as where one request is served at a time. */
  readonly intake?: Intake;
  /** How long a client's pace is looked at while it sends, and how long it may take for all; 2 min and 6 h when absent. */
  readonly idleMs?: number;
  readonly totalMs?: number;
  /** How pushes at the same time are bounded where it is not by setting. */
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

/** Fills in what was left out. */
export const gitApp = (given: GitAppOptions): GitApp => ({
  intake: unboundedIntake(),
  ...given,
  slots: slotsOf(given),
});
