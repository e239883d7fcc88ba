import { attempts } from "../concurrency/attempts.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { clearingUp, type PartStep } from "../jobs/passes.ts";
import { ownerStays, requireStaying } from "../owner/deletion.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { absent, equals } from "../table/condition.ts";
import { keyText, put, remove, type Write } from "../table/write.ts";
import { readDefinitions } from "./definitions.ts";
import { groupIn } from "./group.ts";
import {
  type QuotaAssignment,
  type QuotaDefinitions,
  type QuotaMember,
  quotaAssignmentKey,
  quotaMemberKey,
  quotaMembersPartition,
} from "./quota.table.ts";

/** Both ends of two whole assignments, the former and the new one, fit into a transaction. */
const mostGroups = 40;

type Assigned = Pick<Owner, "id" | "kind" | "name">;

/** A page of the users and organizations in a group, oldest first. NotFound when there is no such group. */
export async function listQuotaGroupOwners(
  forge: Forge,
  name: string,
  page: PageRequest,
): Promise<{ readonly owners: Owner[]; readonly total: number }> {
  const { id } = groupIn(await readDefinitions(forge), name);
  const members = await forge.table.queryAll<QuotaMember>({ pk: quotaMembersPartition(id) });
  const keys = rowsOfPage(members, page).map(({ ownerId }) => ownerKey(ownerId));
  const found = await forge.table.getAll<Owner>(keys, { isConsistent: false });
  return { owners: keys.flatMap((key) => found.get(keyText(key)) ?? []), total: members.length };
}

/** Puts an owner into a group. NotFound when it is missing, 409 when they are in it, 422 past 40 groups. */
export async function addQuotaGroupOwner(forge: Forge, name: string, owner: Assigned): Promise<void> {
  await changeAssignment(forge, owner, (present, definitions) => {
    const { id } = groupIn(definitions, name);
    if (present.includes(id)) throw conflict(`${owner.name} is in the quota group ${name} already`);
    return [...present, id];
  });
}

/** Takes an owner out of a group. NotFound when it is missing, or they are not in it. */
export async function removeQuotaGroupOwner(forge: Forge, name: string, owner: Assigned): Promise<void> {
  await changeAssignment(forge, owner, (present, definitions) => {
    const { id } = groupIn(definitions, name);
    if (!present.includes(id)) throw notFound(`${owner.name} is not in the quota group ${name}`);
    return present.filter((one) => one !== id);
  });
}

/** Puts an owner into these groups and no others (none: into the default ones). 422 when one of them is missing. */
export async function setQuotaGroups(forge: Forge, owner: Assigned, names: readonly string[]): Promise<void> {
  await changeAssignment(forge, owner, (_present, definitions) =>
    names.map((name) => {
      const group = definitions.groups.find((one) => one.name === name);
      if (group === undefined) throw invalid("Groups", `quota group does not exist [name: ${name}]`);
      return group.id;
    }),
  );
}

/** Both ends of an assignment change in one transaction. `change` gets the groups that are still there. */
async function changeAssignment(
  forge: Forge,
  owner: Assigned,
  change: (present: readonly number[], definitions: QuotaDefinitions) => readonly number[],
): Promise<void> {
  for await (const _attempt of attempts()) {
    const [current, definitions] = await Promise.all([
      forge.table.get<QuotaAssignment>(quotaAssignmentKey(owner.id)),
      readDefinitions(forge),
    ]);
    const there = new Set(definitions.groups.map(({ id }) => id));
    const present = (current?.groupIds ?? []).filter((id) => there.has(id));
    const groupIds = [...new Set(change(present, definitions))];
    if (groupIds.length > mostGroups) throw invalid("Groups", `at most ${mostGroups} groups of one owner`);
    const writes = assignmentWrites(owner.id, current, groupIds);
    if (writes.length === 0) return;
    if ((await forge.table.transact([ownerStays(owner.id), ...writes])).committed) return;
    await requireStaying(forge, owner);
  }
  throw conflict(`the quota groups of ${owner.name} are being changed by others; try again`);
}

/** The writes that make an owner's groups these; none when they are. */
function assignmentWrites(
  ownerId: number,
  current: QuotaAssignment | undefined,
  groupIds: readonly number[],
): Write[] {
  const before = current?.groupIds ?? [];
  const left = before.filter((id) => !groupIds.includes(id));
  const joined = groupIds.filter((id) => !before.includes(id));
  if (left.length === 0 && joined.length === 0) return [];
  const key = quotaAssignmentKey(ownerId);
  const after: QuotaAssignment = { ...key, ownerId, groupIds, v: (current?.v ?? 0) + 1, _v: 1 };
  const isAsRead = current === undefined ? absent : equals({ v: current.v });
  return [
    groupIds.length === 0 ? remove(key, isAsRead) : put(after, isAsRead),
    ...left.map((id) => remove(quotaMemberKey(id, ownerId))),
    ...joined.map((id) => put({ ...quotaMemberKey(id, ownerId), ownerId, _v: 1 } satisfies QuotaMember)),
  ];
}

/** A group that was deleted, and when, in milliseconds. */
type EndedGroup = { readonly groupId: number; readonly since: number };

const membersPerStep = 25;

/** Takes everybody out of a deleted group: it counts for nothing any more, this is to leave no rows. */
export const endQuotaGroup = clearingUp<EndedGroup>({
  parts: [{ name: "members", step: (forge, { groupId }) => removeSomeMembers(forge, groupId) }],
  since: (args) => args.since,
});

async function removeSomeMembers(forge: Forge, groupId: number): Promise<PartStep> {
  const pk = quotaMembersPartition(groupId);
  const { items, next } = await forge.table.query<QuotaMember>({ pk, limit: membersPerStep });
  for (const { ownerId } of items) await leaveGroup(forge, ownerId, groupId);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

async function leaveGroup({ table }: Forge, ownerId: number, groupId: number): Promise<void> {
  for await (const _attempt of attempts()) {
    const current = await table.get<QuotaAssignment>(quotaAssignmentKey(ownerId));
    const rest = (current?.groupIds ?? []).filter((id) => id !== groupId);
    const writes = assignmentWrites(ownerId, current, rest);
    const left = writes.length > 0 ? writes : [remove(quotaMemberKey(groupId, ownerId))];
    if ((await table.transact(left)).committed) return;
  }
  throw new Error(`the quota groups of owner ${ownerId} are being changed by others all the time`);
}

/** Takes a deleted owner out of all groups. */
export async function endQuotaAssignment({ table }: Forge, ownerId: number): Promise<void> {
  const key = quotaAssignmentKey(ownerId);
  const current = await table.get<QuotaAssignment>(key);
  if (current === undefined) return;
  await table.removeAll([...current.groupIds.map((id) => quotaMemberKey(id, ownerId)), key]);
}
