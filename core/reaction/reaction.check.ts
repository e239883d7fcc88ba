import { asideReads, checkAsides } from "../issue/asides.check.ts";
import type { Checks } from "../lifecycle/check/checks.ts";

const reactionKind = "I#<repository>.<number> / RE#<comment>#<user>#<content>";

export const reactionChecks: Checks = {
  reads: [reactionKind, ...asideReads],
  live: [checkAsides(reactionKind)],
};
