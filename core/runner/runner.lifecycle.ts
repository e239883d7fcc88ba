import type { ActionsPlace } from "../actions/place.ts";
import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { runnerChecks } from "./runner.check.ts";
import {
  type RegistrationToken,
  type Runner,
  registrationTokenGuardKey,
  registrationTokenKey,
  registrationTokenSort,
  runnerGuardKey,
  runnerPrefix,
  runnersOf,
} from "./runner.table.ts";

const runnersPerStep = 100;

/** Guards first: they are found by what they lead to. */
async function endRunners({ table }: Forge, place: ActionsPlace): Promise<PartStep> {
  const token = await table.get<RegistrationToken>(registrationTokenKey(place));
  if (token !== undefined) {
    await table.removeAll([registrationTokenGuardKey(token.hash)]);
    await table.removeAll([token]);
  }
  const { items, next } = await table.query<Runner>({ ...runnersOf(place), limit: runnersPerStep });
  await table.removeAll(items.map(({ uuid }) => runnerGuardKey(uuid)));
  await table.removeAll(items);
  return { hasFound: token !== undefined || items.length > 0, hasMore: next !== undefined };
}

const alone = [runnerPrefix, registrationTokenSort];

export const runnerLifecycle: Lifecycle = {
  noun: "runner",
  items: [
    { at: "R#<repository> / RUNNER#<runner>", counter: "runner" },
    { at: "O#<owner> / RUNNER#<runner>", counter: "runner" },
    { at: "RUNNERS#global / RUNNER#<runner>", counter: "runner" },
    { at: "RUNNER#<uuid> / #" },
    { at: "R#<repository> / RUNNERTOKEN" },
    { at: "O#<owner> / RUNNERTOKEN" },
    { at: "RUNNERS#global / RUNNERTOKEN" },
    { at: "RUNNERTOKEN#<hash> / #" },
  ],
  ends: {
    repository: {
      runners: {
        stage: "rights",
        step: (forge, { repositoryId }) =>
          endRunners(forge, { kind: "repository", id: repositoryId, ownerId: 0 }),
        alone,
      },
    },
    user: { runners: { step: (forge, { userId }) => endRunners(forge, { kind: "user", id: userId }) } },
    organization: {
      runners: {
        step: (forge, { organizationId }) => endRunners(forge, { kind: "organization", id: organizationId }),
      },
    },
  },
  checks: runnerChecks,
};
