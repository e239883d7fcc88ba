import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { actionsChecks } from "./actions.check.ts";
import { leaveQueues, movePlans, moveRuns, removeOwnersCounter, removeRuns } from "./ends.ts";

const withItsRun = "with the jobs of the run that wait, or the run";

export const actionsLifecycle: Lifecycle = {
  noun: "actions",
  items: [
    { at: "R#<repository>#RUN / N#<run>" },
    { at: "R#<repository>#RUN / S#<run>" },
    { at: "R#<repository>#RUN / A#<run>#<attempt>" },
    { at: "R#<repository>#RUN / J#<job>" },
    { at: "R#<repository>#RUN / T#<job>" },
    { at: "R#<repository>#RUN / L#<job>#<line>" },
    { at: "R#<repository>#RUN / G#<group>" },
    { at: "R#<repository>#RUN / OK#<approved>" },
    { at: "R#<repository>#RUN / E#<event>" },
    { at: "R#<repository> / PLANS" },
    { at: "R#<repository> / DISABLED" },
    { at: "SEQ#run#<repository> / #" },
    { at: "SEQ#run-job#<repository> / #" },
    { at: "WAIT#G#<label> / <time>#<run>", goes: withItsRun },
    { at: "WAIT#O#<owner>#<label> / <time>#<run>", goes: withItsRun },
    { at: "WAIT#R#<repository>#<label> / <time>#<run>", goes: withItsRun },
    { at: "WAITS#G / #", goes: "never: there is one" },
    { at: "WAITS#O#<owner> / #" },
    { at: "WAITS#R#<repository> / #" },
  ],
  objects: ["r/<repository>/logs/<job>/<uuid>"],
  ends: {
    repository: {
      queues: { step: leaveQueues },
      runs: { stage: "beside", step: removeRuns },
    },
    user: { counter: { step: (forge, { userId }) => removeOwnersCounter(forge, userId) } },
    organization: {
      counter: { step: (forge, { organizationId }) => removeOwnersCounter(forge, organizationId) },
    },
  },
  moves: { runs: { step: moveRuns }, plans: { step: movePlans } },
  checks: actionsChecks,
};
