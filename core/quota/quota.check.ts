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
  const ofNobody = assignments
    .filter(({ ownerId }) => !owners.has(ownerId))
    .map(
      (one): Finding => ({
        invariant: 37,
        key: shownKey(one),
        problem: `is of owner ${one.ownerId}, who is not there`,
        remedy: "removes it",
        repair: mending([check(ownerKey(one.ownerId), absent)], remove(one, asRead(one))),
      }),
    );
  const missing = assignments.flatMap((one) =>
    one.groupIds
      .map((id): QuotaMember => ({ ...quotaMemberKey(id, one.ownerId), ownerId: one.ownerId, _v: 1 }))
      .filter((row) => !rows.has(keyText(row)))
      .map(
        (row): Finding => ({
          invariant: 37,
          key: shownKey(row),
          problem: `is missing; owner ${one.ownerId} is in the group`,
          remedy: "writes it",
          repair: mending([check(one, asRead(one))], put(row, absent)),
        }),
      ),
  );
  const astray = members
    .filter((row) => byOwner.get(row.ownerId)?.groupIds.includes(groupIdOf(row)) !== true)
    .map(
      (row): Finding => ({
        invariant: 37,
        key: shownKey(row),
        problem: `tells of owner ${row.ownerId}, who is not in the group`,
        remedy: "removes it",
        repair: mending(
          [check(quotaAssignmentKey(row.ownerId), asRead(byOwner.get(row.ownerId)))],
          remove(row, exists),
        ),
      }),
    );
  return [...ofNobody, ...missing, ...astray];
}

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
    if (!owners.has(ownerId)) return ofOwner.map((part) => ofNobody(ownerId, part));
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

const ofNobody = (ownerId: number, part: OwnerUsage): Finding => ({
  invariant: 44,
  key: shownKey(part),
  problem: `is of owner ${ownerId}, who is not there`,
  remedy: "removes it",
  repair: mending([check(ownerKey(ownerId), absent)], remove(part, asRead(part))),
});

export const quotaChecks: Checks = {
  reads: [ownerKind, assignmentKind, memberKind, usageKind, cardKind, packageKind],
  table: [(_, facts) => checkAssignments(facts), checkTotals],
};
