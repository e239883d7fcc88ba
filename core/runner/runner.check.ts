import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { missing } from "../owner/owner-findings.ts";
import { absent, equals } from "../table/condition.ts";
import { check, type Item, keyText, remove, type TableKey } from "../table/write.ts";
import {
  type RegistrationToken,
  type RegistrationTokenGuard,
  type Runner,
  type RunnerGuard,
  registrationTokenGuardKey,
  registrationTokenKey,
  runnerGuardKey,
  runnerKey,
} from "./runner.table.ts";

const places = ["R#<repository>", "O#<owner>", "RUNNERS#global"];
const runnerKinds = places.map((place) => `${place} / RUNNER#<runner>`);
const tokenKinds = places.map((place) => `${place} / RUNNERTOKEN`);
const guardKinds = { runner: "RUNNER#<uuid> / #", token: "RUNNERTOKEN#<hash> / #" };

/** Things with the guards that lead to them, and the guards that are there. */
interface Guarded<Thing extends Item, Guard extends Item> {
  readonly name: string;
  readonly things: readonly Thing[];
  readonly guards: readonly Guard[];
  guardOf(thing: Thing): Guard;
  /** What must not have changed of a thing whose guard is written. */
  stays(thing: Thing): Readonly<Record<string, unknown>>;
  thingOf(guard: Guard): TableKey;
}

/** Both directions of a guard: every thing has its own, and each guard leads to a thing that has it. */
function guardFindings<Thing extends Item, Guard extends Item>(
  invariant: number,
  { name, things, guards, ...as }: Guarded<Thing, Guard>,
): Finding[] {
  const present = new Set(guards.map(keyText));
  const led = new Set(things.map((thing) => keyText(as.guardOf(thing))));
  return [
    ...things
      .filter((thing) => !present.has(keyText(as.guardOf(thing))))
      .map((thing) =>
        missing(invariant, as.guardOf(thing), `${name} is there`, check(thing, equals(as.stays(thing)))),
      ),
    ...guards
      .filter((guard) => !led.has(keyText(guard)))
      .map((guard) => ({
        invariant,
        key: shownKey(guard),
        problem: `leads to ${name} that is not there`,
        remedy: "removes it: it opens nothing any more",
        repair: mending([check(as.thingOf(guard), absent)], remove(guard, asRead(guard))),
      })),
  ];
}

/** Invariant 47: a runner has the guard of its UUID, a registration token that of its text, and no guard is alone. */
function checkRunners(facts: TableFacts): Finding[] {
  const runners: Guarded<Runner, RunnerGuard> = {
    name: "a runner",
    things: runnerKinds.flatMap((kind) => facts.all<Runner>(kind)),
    guards: facts.all<RunnerGuard>(guardKinds.runner),
    guardOf: ({ uuid, place, id }) => ({ ...runnerGuardKey(uuid), place, runnerId: id, _v: 1 }),
    stays: ({ uuid }) => ({ uuid }),
    thingOf: ({ place, runnerId }) => runnerKey(place, runnerId),
  };
  const tokens: Guarded<RegistrationToken, RegistrationTokenGuard> = {
    name: "a registration token",
    things: tokenKinds.flatMap((kind) => facts.all<RegistrationToken>(kind)),
    guards: facts.all<RegistrationTokenGuard>(guardKinds.token),
    guardOf: ({ hash, place }) => ({ ...registrationTokenGuardKey(hash), place, _v: 1 }),
    stays: ({ hash }) => ({ hash }),
    thingOf: ({ place }) => registrationTokenKey(place),
  };
  return [...guardFindings(47, runners), ...guardFindings(47, tokens)];
}

export const runnerChecks: Checks = {
  reads: [...runnerKinds, ...tokenKinds, ...Object.values(guardKinds)],
  table: [(_, facts) => checkRunners(facts)],
};
