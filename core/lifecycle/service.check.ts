import type { Forge } from "../forge.ts";
import type { Checks } from "./check/checks.ts";
import { type Finding, shownKey } from "./check/finding.ts";
import type { TableFacts } from "./check/table-facts.ts";

const outboxGraceMs = 2 * 60_000;
const outboxKind = "X#<part> / <time>#<event>";

/** Invariant 20: nothing lies in the outbox for longer than two minutes. */
function checkOutbox({ clock }: Forge, facts: TableFacts): Finding[] {
  const late = facts
    .all(outboxKind)
    .filter(({ sk }) => Number(sk.split("#")[0]) < clock.now() - outboxGraceMs);
  return late.map((item) => ({
    invariant: 20,
    key: shownKey(item),
    problem: "an event was neither received nor sent again for two minutes",
    remedy: "sees to itself while the tick runs: find out why it does not, in the log",
  }));
}

export const serviceChecks: Checks = { reads: [outboxKind], served: [checkOutbox] };
