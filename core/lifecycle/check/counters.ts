import { sequenceKey } from "../../ids.ts";
import { absent, below } from "../../table/condition.ts";
import { type TableKey, update, type Write } from "../../table/write.ts";
import { type Finding, mending, shownKey } from "./finding.ts";
import type { TableFacts } from "./table-facts.ts";

/** A counter beside the things that have numbers of it. */
interface CountedThings {
  readonly key: TableKey;
  /** What the counter says; 0: it is not there. */
  readonly last: number;
  /** The greatest number that a thing has; 0: there is none. */
  readonly greatest: number;
  /** What has the numbers, such as `issue`. */
  readonly thing: string;
}

/** Invariant 9: a counter has passed every number that was given, so that none is given twice. */
export function checkCounter(
  { key, last, greatest, thing }: CountedThings,
  derivedFrom: readonly Write[] = [],
): Finding[] {
  if (last >= greatest) return [];
  const advanced = update(key, { set: { n: greatest } }, last === 0 ? absent : below({ n: greatest }));
  return [
    {
      invariant: 9,
      key: shownKey(key),
      problem: `the counter stands at ${last}, ${thing} ${greatest} is there already`,
      remedy: `sets the counter to ${greatest}`,
      repair: mending(derivedFrom, advanced),
    },
  ];
}

/** Invariant 9, of the ids of each kind. */
export function checkCounters({ counters, greatestIds }: TableFacts): Finding[] {
  return [...greatestIds].flatMap(([kind, greatest]) =>
    checkCounter({ key: sequenceKey(kind), last: counters.get(kind) ?? 0, greatest, thing: kind }),
  );
}
