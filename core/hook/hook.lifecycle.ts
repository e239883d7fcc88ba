import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { hookPrefix } from "./hook.table.ts";
import { removeSomeHooks } from "./internal/remove-some.ts";
import { resealHooks, resealingKind } from "./reseal.ts";

export const hookLifecycle: Lifecycle = {
  noun: "hook",
  items: [
    { at: "R#<repository> / HOOK#<hook>", counter: "hook" },
    { at: "O#<owner> / HOOK#<hook>", counter: "hook" },
    { at: "HOOKS#system / HOOK#<hook>", counter: "hook" },
    { at: "HOOKS#default / HOOK#<hook>", counter: "hook" },
    { at: "HOOKS#keys / #" },
    { at: "DLV#<hook> / <time>#<delivery>" },
    { at: "EVENT#<event> / #" },
  ],
  objects: ["deliveries/<payload>"],
  ends: {
    // Hooks are removed late, with the records of their deliveries: they must hear of the deletion first.
    repository: {
      hooks: {
        stage: "hooks",
        step: async (forge, { repositoryId, isLate }) =>
          isLate
            ? removeSomeHooks(forge, { kind: "repository", id: repositoryId })
            : { hasFound: false, hasMore: false },
        alone: [hookPrefix],
      },
    },
    user: { hooks: { step: (forge, { userId }) => removeSomeHooks(forge, { kind: "user", id: userId }) } },
    organization: {
      hooks: {
        step: (forge, { organizationId }) =>
          removeSomeHooks(forge, { kind: "organization", id: organizationId }),
      },
    },
  },
  jobs: { [resealingKind]: resealHooks },
};
