import { absent, equals } from "../table/condition.ts";
import { type Item, keyText, put, remove, type Write } from "../table/write.ts";
import {
  type Membership,
  type MembershipMirror,
  membershipKey,
  membershipMirrorKey,
  type TeamMember,
  teamMemberKey,
} from "./team.table.ts";

/** A user's membership and its mirror after their teams changed to these; without teams both are removed. */
export function teamMembershipWrites(
  organizationId: number,
  userId: number,
  current: Membership | undefined,
  teamIds: readonly number[],
): Write[] {
  const [key, mirrorKey] = [
    membershipKey(organizationId, userId),
    membershipMirrorKey(userId, organizationId),
  ];
  const isUnchanged = current === undefined ? absent : equals({ v: current.v });
  if (teamIds.length === 0) return [remove(key, isUnchanged), remove(mirrorKey)];
  const sorted = [...new Set(teamIds)].sort((one, other) => one - other);
  const membership: Membership = {
    ...key,
    userId,
    teamIds: sorted,
    isPublic: current?.isPublic ?? false,
    v: (current?.v ?? 0) + 1,
    _v: 1,
  };
  const mirror: MembershipMirror = { ...mirrorKey, organizationId, teamIds: sorted, _v: 1 };
  return [put(membership, isUnchanged), put(mirror)];
}

/** A user's row in a team's list. */
export const memberRow = (teamId: number, userId: number): TeamMember => ({
  ...teamMemberKey(teamId, userId),
  userId,
  _v: 1,
});

/** A membership from items that were read. */
export const membershipIn = (
  found: ReadonlyMap<string, Item>,
  organizationId: number,
  userId: number,
): Membership | undefined =>
  found.get(keyText(membershipKey(organizationId, userId))) as Membership | undefined;
