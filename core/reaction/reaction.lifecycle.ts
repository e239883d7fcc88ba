import { foundByActor } from "../lifecycle/found-by-actor.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { reactionChecks } from "./reaction.check.ts";
import { reactionPrefix } from "./reaction.table.ts";

export const reactionLifecycle: Lifecycle = {
  noun: "reaction",
  items: [{ at: "I#<repository>.<number> / RE#<comment>#<user>#<content>" }],
  ends: { user: { reactions: foundByActor(reactionPrefix) } },
  checks: reactionChecks,
};
