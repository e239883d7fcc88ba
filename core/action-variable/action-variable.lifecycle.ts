import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { actionVariablesOf } from "./action-variable.table.ts";

export const actionVariableLifecycle: Lifecycle = {
  noun: "action-variable",
  items: [{ at: "R#<repository> / VAR#<name>" }, { at: "O#<owner> / VAR#<name>" }],
  ends: {
    user: {
      variables: {
        step: (forge, { userId }) => removePage(forge, actionVariablesOf({ kind: "user", id: userId })),
      },
    },
  },
};
