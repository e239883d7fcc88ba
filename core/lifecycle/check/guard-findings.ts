import { absent } from "../../table/condition.ts";
import { check, type Item, keyText, put, remove, type TableKey, type Write } from "../../table/write.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";

/** Things with the guards that lead to them, and the guards that are there. */
export interface Guarded<Thing extends Item, Guard extends Item> {
  readonly invariant: number;
  /** One of the things, as findings name it. */
  readonly name: string;
  readonly things: readonly Thing[];
  readonly guards: readonly Guard[];
  guardsOf(thing: Thing): readonly Guard[];
  /** Holds as long as a thing has the same guards. */
  stays(thing: Thing): Write;
  /** The key of the thing that a guard leads to. */
  thingOf(guard: Guard): TableKey;
  /** A guard whose key is a secret, in other words. */
  shown?(guard: Guard): string;
}

/** Both directions of a guard: each thing has its own, and each guard leads to a thing that has it. */
export function guardFindings<Thing extends Item, Guard extends Item>(
  guarded: Guarded<Thing, Guard>,
): Finding[] {
  const { invariant, name, things, guards, shown = shownKey } = guarded;
  const wayOf = (guard: Guard) => `${keyText(guard)} ${keyText(guarded.thingOf(guard))}`;
  const expected = things.flatMap((thing) => guarded.guardsOf(thing).map((guard) => ({ thing, guard })));
  const wanted = new Set(expected.map(({ guard }) => wayOf(guard)));
  const present = new Set(guards.map(wayOf));
  const byKey = new Map(things.map((thing) => [keyText(thing), thing]));
  const unguarded = expected.filter(({ guard }) => !present.has(wayOf(guard)));
  const astray = guards.filter((guard) => !wanted.has(wayOf(guard)));
  return [
    ...unguarded.map(({ thing, guard }) => ({
      invariant,
      key: shown(guard),
      problem: `does not lead to ${name}, which is there: ${shownKey(thing)}`,
      remedy: "writes it, unless it leads to another by now",
      repair: mending([guarded.stays(thing)], put(guard, absent)),
    })),
    ...astray.map((guard) => {
      const key = guarded.thingOf(guard);
      const found = byKey.get(keyText(key));
      return {
        invariant,
        key: shown(guard),
        problem: `leads to ${name} that is not there, or has another: ${shownKey(key)}`,
        remedy: "removes it: it opens nothing any more",
        repair: mending(
          [found === undefined ? check(key, absent) : guarded.stays(found)],
          remove(guard, asRead(guard)),
        ),
      };
    }),
  ];
}
