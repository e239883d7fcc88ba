import type { Checks } from "../lifecycle/check/checks.ts";
import type { Finding } from "../lifecycle/check/finding.ts";
import { guardFindings } from "../lifecycle/check/guard-findings.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { equals } from "../table/condition.ts";
import { check } from "../table/write.ts";
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

/** Invariant 47: a runner has the guard of its UUID, and no guard is alone. */
const checkRunners = (facts: TableFacts): Finding[] =>
  guardFindings<Runner, RunnerGuard>({
    invariant: 47,
    name: "a runner",
    things: runnerKinds.flatMap((kind) => facts.all<Runner>(kind)),
    guards: facts.all<RunnerGuard>(guardKinds.runner),
    guardsOf: ({ uuid, place, id }) => [{ ...runnerGuardKey(uuid), place, runnerId: id, _v: 1 }],
    stays: (runner) => check(runner, equals({ uuid: runner.uuid })),
    thingOf: ({ place, runnerId }) => runnerKey(place, runnerId),
  });

/** Invariant 47: a registration token has the guard of its text, and no guard is alone. */
const checkRegistrationTokens = (facts: TableFacts): Finding[] =>
  guardFindings<RegistrationToken, RegistrationTokenGuard>({
    invariant: 47,
    name: "a registration token",
    things: tokenKinds.flatMap((kind) => facts.all<RegistrationToken>(kind)),
    guards: facts.all<RegistrationTokenGuard>(guardKinds.token),
    guardsOf: ({ hash, place }) => [{ ...registrationTokenGuardKey(hash), place, _v: 1 }],
    stays: (token) => check(token, equals({ hash: token.hash })),
    thingOf: ({ place }) => registrationTokenKey(place),
  });

export const runnerChecks: Checks = {
  reads: [...runnerKinds, ...tokenKinds, ...Object.values(guardKinds)],
  table: [(_, facts) => checkRunners(facts), (_, facts) => checkRegistrationTokens(facts)],
};
