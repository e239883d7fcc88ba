import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { publicKeyChecks } from "./public-key.check.ts";
import { keyPrefix } from "./public-key.table.ts";
import { removePublicKeysOf } from "./public-key.ts";

export const publicKeyLifecycle: Lifecycle = {
  noun: "public-key",
  items: [
    { at: "U#<user> / KEY#<key>", counter: "key" },
    { at: "U#<user> / KEYNAME#<title>" },
    { at: "FP#<fingerprint> / #" },
    { at: "ID#key#<key> / #" },
  ],
  ends: {
    user: {
      keys: {
        async step(forge, { userId }) {
          await removePublicKeysOf(forge, userId);
          return { hasFound: false, hasMore: false };
        },
        alone: [keyPrefix],
      },
    },
  },
  checks: publicKeyChecks,
};
