import { randomBytes } from "node:crypto";
import { wireStrings } from "#core/git/format/ssh-wire";

/** A public key that no test has used yet, as one line of authorized keys. Nobody has its private half. */
export const makeKeyLine = (comment = "test"): string =>
  `ssh-ed25519 ${wireStrings("ssh-ed25519", randomBytes(32)).toString("base64")} ${comment}`;
