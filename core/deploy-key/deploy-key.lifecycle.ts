import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { keyPrefix } from "../public-key/public-key.table.ts";
import { removeSomeDeployKeys } from "./deploy-key.ts";

export const deployKeyLifecycle: Lifecycle = {
  noun: "deploy-key",
  items: [
    { at: "R#<repository> / KEY#<key>", counter: "deploy-key" },
    { at: "R#<repository> / KEYNAME#<title>" },
    { at: "R#<repository> / KEYFP#<fingerprint>" },
  ],
  ends: {
    // Guards count the repositories that have a key.
    repository: {
      keys: {
        step: (forge, { repositoryId }) => removeSomeDeployKeys(forge, repositoryId),
        alone: [keyPrefix],
      },
    },
  },
};
