import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { blockChecks } from "./block.check.ts";
import { forgetBlocksOf } from "./block.ts";

async function end(forge: Forge, ownerId: number): Promise<PartStep> {
  await forgetBlocksOf(forge, ownerId);
  return { hasFound: false, hasMore: false };
}

export const blockLifecycle: Lifecycle = {
  noun: "block",
  items: [{ at: "O#<owner> / BLOCK#<user>" }, { at: "U#<user> / BLOCKEDBY#<owner>" }],
  ends: {
    user: { blocks: { step: (forge, { userId }) => end(forge, userId) } },
    organization: { blocks: { step: (forge, { organizationId }) => end(forge, organizationId) } },
  },
  checks: blockChecks,
};
