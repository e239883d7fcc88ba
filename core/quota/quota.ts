import { isOfPresentFormat } from "../data-format.ts";
import type { Forge } from "../forge.ts";
import { cardPrefix, ownerPartition, type RepositoryCard } from "../repository/repository.table.ts";
import type { Item } from "../table/write.ts";
import { usageOfCard } from "./card-usage.ts";
import { checkedSubject, readDefinitions } from "./definitions.ts";
import { isWithinQuota } from "./evaluate.ts";
import { type FullQuotaGroup, fullGroup } from "./group.ts";
import {
  type OwnerUsage,
  type QuotaAssignment,
  type QuotaDefinitions,
  quotaAssignmentKey,
  quotaPrefix,
  usagePrefix,
} from "./quota.table.ts";
import { type Usage, usageNames } from "./subject.ts";

/** What an owner uses, and the groups that judge it: their own, else the default ones, else none. */
export interface Quota {
  readonly usage: Usage;
  readonly groups: readonly FullQuotaGroup[];
}

/** The quota of a user or an organization: two reads, whatever they hold. */
export async function readQuota(forge: Forge, ownerId: number): Promise<Quota> {
  const pk = ownerPartition(ownerId);
  const [items, definitions, isCounted] = await Promise.all([
    forge.table.queryAll<Item>({ pk, prefix: quotaPrefix }),
    readDefinitions(forge),
    isOfPresentFormat(forge.table),
  ]);
  const assignment = items.find(({ sk }) => sk === quotaAssignmentKey(ownerId).sk);
  const totals = items.filter(({ sk }) => sk.startsWith(usagePrefix)) as OwnerUsage[];
  return {
    usage: { ...sumOf(totals), ...(isCounted ? {} : await uncounted(forge, ownerId)) },
    groups: groupsOf(forge, definitions, assignment as QuotaAssignment | undefined),
  };
}

/** Whether an owner is within their quota of the subject of this name. 422 when there is no such subject. */
export async function isOwnerWithinQuota(forge: Forge, ownerId: number, subject: string): Promise<boolean> {
  const asked = checkedSubject(subject);
  const { usage, groups } = await readQuota(forge, ownerId);
  const rules = groups.map((group) => group.rules);
  return isWithinQuota(rules, forge.config.quotaDefaultTotal, usage, asked);
}

/** The usage that data of format 1 left on the owner's cards: the totals lack it until a job has counted it. */
async function uncounted({ table }: Forge, ownerId: number): Promise<Partial<Usage>> {
  const pk = ownerPartition(ownerId);
  const cards = await table.queryAll<RepositoryCard>({ pk, prefix: cardPrefix });
  const { lfs: _, artifacts: __, packages: ___, ...old } = sumOf(cards.map(usageOfCard));
  return old;
}

const sumOf = (parts: readonly Partial<Usage>[]): Usage => {
  const sums = usageNames.map((name) => [name, parts.reduce((sum, part) => sum + (part[name] ?? 0), 0)]);
  return Object.fromEntries(sums) as Usage;
};

/** Groups that were deleted count for nothing: an owner whose groups are all gone has the default ones. */
function groupsOf(
  { config }: Forge,
  definitions: QuotaDefinitions,
  assignment: QuotaAssignment | undefined,
): FullQuotaGroup[] {
  const { groups } = definitions;
  const own = groups.filter(({ id }) => assignment?.groupIds.includes(id));
  const judging =
    own.length > 0 ? own : groups.filter(({ name }) => config.quotaDefaultGroups.includes(name));
  return judging.map((group) => fullGroup(definitions, group));
}
