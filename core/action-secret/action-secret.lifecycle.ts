import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { actionSecretsOf } from "./action-secret.table.ts";

export const actionSecretLifecycle: Lifecycle = {
  noun: "action-secret",
  items: [{ at: "R#<repository> / SECRET#<name>" }, { at: "O#<owner> / SECRET#<name>" }],
  ends: {
    user: {
      secrets: {
        step: (forge, { userId }) => removePage(forge, actionSecretsOf({ kind: "user", id: userId })),
      },
    },
  },
};
