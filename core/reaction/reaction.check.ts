import { checkOrphans, orphanReads } from "../issue/orphans.check.ts";
import type { Checks } from "../lifecycle/check/checks.ts";

const reactionKind = "I#<repository>.<number> / RE#<comment>#<user>#<content>";

export const reactionChecks: Checks = {
  reads: [reactionKind, ...orphanReads],
  live: [checkOrphans(reactionKind)],
};
