import { isOfPresentFormat } from "../data-format.ts";
import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { ownerKind, ownersIn } from "../owner/checked-owners.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Package } from "../package/package.table.ts";
import type { RepositoryCard } from "../repository/repository.table.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove, type TableKey } from "../table/write.ts";
import {
  type OwnerUsage,
  type QuotaAssignment,
  type QuotaMember,
  quotaAssignmentKey,
  quotaMemberKey,
} from "./quota.table.ts";
import { partsBeside, recountUsage, wrongIn } from "./recount.ts";

const assignmentKind = "O#<owner> / QUOTA#GROUPS";
const memberKind = "QUOTAGROUP#<group> / <owner>";
const usageKind = "O#<owner> / QUOTA#USED#<part>";
const packageKind = "O#<owner>#PKG / P#<type>#<name>";
const cardKind = "O#<owner> / REPO#<repository>";

const groupIdOf = ({ pk }: QuotaMember): number => Number(pk.split("#")[1]);

/** Invariant 37: an owner who is there names their quota groups, and each of these has a row of them. */
function checkAssignments(facts: TableFacts): Finding[] {
  const owners = ownersIn(facts);
  const assignments = facts.all<QuotaAssignment>(assignmentKind);
  const members = facts.all<QuotaMember>(memberKind);
  const rows = new Set(members.map(keyText));
  const byOwner = new Map(assignments.map((one) => [one.ownerId, one]));
  const abandoned = assignments.filter(({ ownerId }) => !owners.has(ownerId));
  const isInGroup = (row: QuotaMember) =>
    byOwner.get(row.ownerId)?.groupIds.includes(groupIdOf(row)) === true;
  return [
    ...abandoned.map((one) => ofNobody(37, one.ownerId, one)),
    ...assignments.flatMap((one) =>
      one.groupIds
        .map((id): QuotaMember => ({ ...quotaMemberKey(id, one.ownerId), ownerId: one.ownerId, _v: 1 }))
        .filter((row) => !rows.has(keyText(row)))
        .map((row) => missingMember(row, one)),
    ),
    ...members.filter((row) => !isInGroup(row)).map((row) => strayMember(row, byOwner.get(row.ownerId))),
  ];
}

const missingMember = (row: QuotaMember, assignment: QuotaAssignment): Finding => ({
  invariant: 37,
  key: shownKey(row),
  problem: `is missing; owner ${row.ownerId} is in the group`,
  remedy: "writes it",
  repair: mending([check(assignment, asRead(assignment))], put(row, absent)),
});

const strayMember = (row: QuotaMember, assignment: QuotaAssignment | undefined): Finding => ({
  invariant: 37,
  key: shownKey(row),
  problem: `tells of owner ${row.ownerId}, who is not in the group`,
  remedy: "removes it",
  repair: mending([check(quotaAssignmentKey(row.ownerId), asRead(assignment))], remove(row, exists)),
});

/** Invariant 44: an owner's totals are what their cards and their packages of no repository count; of nobody there are none. */
async function checkTotals(forge: Forge, facts: TableFacts): Promise<Finding[]> {
  if (!(await isOfPresentFormat(forge.table))) return [];
  const owners = ownersIn(facts);
  const parts = byOwner(facts.all<OwnerUsage>(usageKind));
  const cards = byOwner(facts.all<RepositoryCard>(cardKind));
  const packages = byOwner(facts.all<Package>(packageKind));
  const ids = new Set([...parts.keys(), ...cards.keys(), ...packages.keys()]);
  return [...ids].flatMap((ownerId) => {
    const ofOwner = parts.get(ownerId) ?? [];
    if (!owners.has(ownerId)) return ofOwner.map((part) => ofNobody(44, ownerId, part));
    return partsBeside(ownerId, ofOwner, cards.get(ownerId) ?? [], packages.get(ownerId) ?? []).flatMap(
      (one) => {
        const wrong = wrongIn(one).map(
          (name) => `${name} counts ${one.part?.[name] ?? 0}, there are ${one.held[name]}`,
        );
        if (wrong.length === 0) return [];
        const repair = (on: Forge) => recountUsage(on, ownerId);
        return [
          { invariant: 44, key: shownKey(one.key), problem: wrong.join("; "), remedy: "counts anew", repair },
        ];
      },
    );
  });
}

function byOwner<T extends TableKey>(items: readonly T[]): Map<number, T[]> {
  const grouped = new Map<number, T[]>();
  for (const item of items) {
    const own = grouped.get(ownerIdOf(item)) ?? [];
    own.push(item);
    grouped.set(ownerIdOf(item), own);
  }
  return grouped;
}

const ownerIdOf = ({ pk }: TableKey): number => Number(pk.split("#")[1]);

const ofNobody = (invariant: number, ownerId: number, item: QuotaAssignment | OwnerUsage): Finding => ({
  invariant,
  key: shownKey(item),
  problem: `is of owner ${ownerId}, who is not there`,
  remedy: "removes it",
  repair: mending([check(ownerKey(ownerId), absent)], remove(item, asRead(item))),
});

export const quotaChecks: Checks = {
  reads: [ownerKind, assignmentKind, memberKind, usageKind, cardKind, packageKind],
  table: [(_, facts) => checkAssignments(facts), checkTotals],
};
