import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { endQuotaAssignment, endQuotaGroup } from "./assignment.ts";
import { endingGroupKind } from "./group.ts";
import { quotaChecks } from "./quota.check.ts";

async function end(forge: Forge, ownerId: number): Promise<PartStep> {
  await endQuotaAssignment(forge, ownerId);
  return { hasFound: false, hasMore: false };
}

export const quotaLifecycle: Lifecycle = {
  noun: "quota",
  items: [
    { at: "QUOTA / #", goes: "never: the rules and groups of the instance" },
    { at: "O#<owner> / QUOTA#GROUPS" },
    { at: "QUOTAGROUP#<group> / <owner>" },
  ],
  ends: {
    user: { groups: { step: (forge, { userId }) => end(forge, userId) } },
    organization: { groups: { step: (forge, { organizationId }) => end(forge, organizationId) } },
  },
  jobs: { [endingGroupKind]: endQuotaGroup },
  checks: quotaChecks,
};
