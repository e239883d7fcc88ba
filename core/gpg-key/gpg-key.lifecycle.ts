import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { gpgKeyChecks } from "./gpg-key.check.ts";
import { gpgKeyPrefix } from "./gpg-key.table.ts";
import { removeGpgKeysOf } from "./gpg-key.ts";

export const gpgKeyLifecycle: Lifecycle = {
  noun: "gpg-key",
  items: [{ at: "U#<user> / GPG#<key>", counter: "gpg-key" }, { at: "GPGID#<keyid> / #" }],
  ends: {
    user: {
      keys: {
        async step(forge, { userId }) {
          await removeGpgKeysOf(forge, userId);
          return { hasFound: false, hasMore: false };
        },
        alone: [gpgKeyPrefix],
      },
    },
  },
  checks: gpgKeyChecks,
};
