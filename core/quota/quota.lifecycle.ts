import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside, removePage } from "../lifecycle/remove-page.ts";
import { ownerPartition } from "../repository/repository.table.ts";
import { endQuotaAssignment, endQuotaGroup } from "./assignment.ts";
import { countingKind, countUsage } from "./count-usage.ts";
import { endingGroupKind } from "./group.ts";
import { quotaChecks } from "./quota.check.ts";
import { sizedThingsPartition, usagePrefix } from "./quota.table.ts";

const endUsage = (forge: Forge, ownerId: number): Promise<PartStep> =>
  removePage(forge, { pk: ownerPartition(ownerId), prefix: usagePrefix });

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
    { at: "O#<owner> / QUOTA#USED#<part>" },
    { at: "R#<repository>#SIZES / <list>#<order>#<id>" },
  ],
  ends: {
    repository: { sizes: partitionBeside(sizedThingsPartition) },
    user: {
      groups: { step: (forge, { userId }) => end(forge, userId) },
      usage: { step: (forge, { userId }) => endUsage(forge, userId) },
    },
    organization: {
      groups: { step: (forge, { organizationId }) => end(forge, organizationId) },
      usage: { step: (forge, { organizationId }) => endUsage(forge, organizationId) },
    },
  },
  jobs: { [endingGroupKind]: endQuotaGroup, [countingKind]: countUsage },
  checks: quotaChecks,
};
