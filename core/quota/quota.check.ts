import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { ownerKind, ownersIn } from "../owner/checked-owners.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import { type QuotaAssignment, type QuotaMember, quotaAssignmentKey, quotaMemberKey } from "./quota.table.ts";

const assignmentKind = "O#<owner> / QUOTA#GROUPS";
const memberKind = "QUOTAGROUP#<group> / <owner>";

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

export const quotaChecks: Checks = {
  reads: [ownerKind, assignmentKind, memberKind],
  table: [(_, facts) => checkAssignments(facts)],
};
