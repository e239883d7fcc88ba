import { setting } from "./setting.ts";
import { flag, integer } from "./shapes.ts";

const aMinute = integer(1, 1_000_000);

/** How many requests a caller may send in a minute (D-RATE): an account, or a network without one. */
export const rateSettings = {
  rateLimits: setting("RATE_LIMITS", flag, true, "count requests by account or network, and refuse too many"),
  rateLight: setting("RATE_LIGHT", aMinute, 60_000, "requests a minute of one account or network"),
  rateHeavy: setting(
    "RATE_HEAVY",
    aMinute,
    2_400,
    "of those that take much work: diffs, archives, signatures, searches, merges, Markdown",
  ),
  rateGit: setting(
    "RATE_GIT",
    aMinute,
    1_200,
    "clones, fetches and pushes a minute of one account or network; four requests each",
  ),
  ratePasswords: setting(
    "RATE_PASSWORDS",
    aMinute,
    120,
    "passwords a minute that are checked for one network; those of the last minute need no check",
  ),
} as const;
