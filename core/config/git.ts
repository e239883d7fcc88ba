import { setting } from "./setting.ts";
import { integer } from "./shapes.ts";

/** Bounds on pushes: what they bring, and what they cost. */
export const gitSettings = {
  gitMaxPackBytes: setting(
    "GIT_MAX_PACK_BYTES",
    integer(2 ** 20, 2 ** 40),
    8 * 2 ** 30,
    "the largest pack that one push may bring",
  ),
  gitMaxObjectBytes: setting(
    "GIT_MAX_OBJECT_BYTES",
    integer(2 ** 20, 2 ** 32 - 1),
    2 * 2 ** 30,
    "the largest file that a push may bring",
  ),
  gitMaxDeltaDepth: setting(
    "GIT_MAX_DELTA_DEPTH",
    integer(50, 100_000),
    4095,
    "the longest chain of deltas in a pushed pack",
  ),
  gitCheckTimeoutSeconds: setting(
    "GIT_CHECK_TIMEOUT",
    integer(10, 86_400),
    900,
    "seconds that the checks of one pushed pack may take",
  ),
  gitMaxPushRefs: setting("GIT_MAX_PUSH_REFS", integer(1, 50_000), 50_000, "refs that one push may name"),
  gitMaxPushes: setting("GIT_MAX_PUSHES", integer(1, 10_000), 50, "pushes that a process takes at a time"),
  gitMaxSpoolBytes: setting(
    "GIT_MAX_SPOOL_BYTES",
    integer(2 ** 20, 2 ** 50),
    32 * 2 ** 30,
    "bytes of pushes and uploads in temporary files at a time; one account or network may have a third",
  ),
} as const;
