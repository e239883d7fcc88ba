import { setting } from "./setting.ts";
import { integer } from "./shapes.ts";

/** How much callers may make a process hold, and how fast they must send. One caller gets at most a third of each. */
export const intakeSettings = {
  maxHeldBytes: setting(
    "MAX_HELD_BYTES",
    integer(128 * 2 ** 20, 2 ** 40),
    256 * 2 ** 20,
    "bytes of requests and answers that callers may make the process hold in memory; one account or network a third",
  ),
  maxSpooledBodies: setting(
    "MAX_SPOOLED_BODIES",
    integer(3, 100_000),
    300,
    "requests over 64 KB that come in at a time; one account or network may have a third",
  ),
  minBodyRate: setting(
    "MIN_BODY_RATE",
    integer(1, 2 ** 30),
    500,
    "bytes a second that a request's body has to bring, looked at over half a minute (git: two); less gets 408",
  ),
} as const;
