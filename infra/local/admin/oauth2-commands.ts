import { rotateSigningKey } from "#core/signing-key/signing-key";
import type { AdminCommand } from "./admin.ts";

const rotateKey: AdminCommand = {
  synopsis: "[--forget]",
  about:
    "replaces the key that signs tokens of OAuth2; those signed before count until they are over, with --forget for a minute at most; prints the new key's id",
  options: { forget: { type: "boolean" } },
  required: [],
  async perform(forge, { forget }) {
    return (await rotateSigningKey(forge, { forgets: forget === true })).kid;
  },
};

/** By the words that call them. */
export const oauth2Commands: Readonly<Record<string, AdminCommand>> = { "oauth2 rotate-key": rotateKey };
