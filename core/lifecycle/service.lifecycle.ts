import type { Lifecycle } from "./lifecycle.ts";
import { serviceChecks } from "./service.check.ts";

/** What the files at the top of `core` keep: counters, the outbox, claims, and what is due. */
export const serviceLifecycle: Lifecycle = {
  noun: "lifecycle",
  items: [
    { at: "SYS / FORMAT", goes: "never: there is one" },
    { at: "SEQ#<kind> / #", goes: "never: no id is given twice" },
    { at: "X#<part> / <time>#<event>", goes: "when its message was received" },
    { at: "CLAIM#<consumer>#<event> / #", goes: "after two days" },
    { at: "DUE#<kind>#<part> / <time>#<name>", goes: "when it is done" },
  ],
  checks: serviceChecks,
};
