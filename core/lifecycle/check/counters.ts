import { sequenceKey } from "../../ids.ts";
import { absent, below } from "../../table/condition.ts";
import { update } from "../../table/write.ts";
import { type Finding, mending, shownKey } from "./finding.ts";
import type { TableFacts } from "./table-facts.ts";

/** Invariant 9: each counter has passed every id of its kind, so that none is given twice. */
export function checkCounters({ counters, greatestIds }: TableFacts): Finding[] {
  return [...greatestIds].flatMap(([kind, greatest]): Finding[] => {
    const last = counters.get(kind) ?? 0;
    if (last >= greatest) return [];
    const key = sequenceKey(kind);
    const advanced = update(key, { set: { n: greatest } }, last === 0 ? absent : below({ n: greatest }));
    return [
      {
        invariant: 9,
        key: shownKey(key),
        problem: `the counter stands at ${last}, ${kind} ${greatest} is there already`,
        remedy: `sets the counter to ${greatest}`,
        repair: mending([], advanced),
      },
    ];
  });
}
