import { blockKey, blockMirrorKey } from "#core/block/block.table";
import { followerKey } from "#core/follow/follow.table";
import { entryKey } from "#core/list-index/list-index.table";
import { administratorsKey, emailGuardKey, nameGuardKey, ownerKey } from "#core/owner/owner.table";
import { quotaAssignmentKey, quotaMemberKey } from "#core/quota/quota.table";
import { put, remove, update } from "#core/table/write";
import { membershipMirrorKey, teamKey, teamMemberKey } from "#core/team/team.table";
import { emailAddressKey, emailListingKey } from "#core/user/user.table";
import type { Violation } from "./make.ts";
import type { TableWorld } from "./table-world.ts";

/** What may be wrong about users, organizations and what they are to each other. */
export const violationsOfPeople = (on: () => TableWorld): Violation[] => [
  {
    what: "an address that the list of all addresses lacks",
    invariants: [7],
    plant: () => on().world.write(remove(emailListingKey("a@example.com"))),
  },
  {
    what: "an address in the list of all that nobody has",
    invariants: [7],
    plant: () => on().world.write(put({ ...emailListingKey("b@example.com"), userId: 500, _v: 1 })),
  },
  {
    what: "a membership that the user's list lacks",
    invariants: [4],
    plant: () => on().world.write(remove(membershipMirrorKey(on().world.actor.user.id, on().organizationId))),
  },
  {
    what: "a membership that the organization lacks",
    invariants: [4],
    plant: () =>
      on().world.write(
        put({
          ...membershipMirrorKey(500, on().organizationId),
          organizationId: on().organizationId,
          teamIds: [1],
          _v: 1,
        }),
      ),
  },
  {
    what: "a team that does not list a member",
    invariants: [4],
    plant: () => on().world.write(remove(teamMemberKey(on().teamId, on().world.actor.user.id))),
  },
  {
    what: "a team that lists who is no member",
    invariants: [4],
    plant: () => on().world.write(put({ ...teamMemberKey(on().teamId, 500), userId: 500, _v: 1 })),
  },
  {
    what: "a team that counts its members wrong",
    invariants: [4],
    plant: () => on().world.set(teamKey(on().organizationId, on().teamId), { members: 9 }),
  },
  {
    what: "a block that the blocked user's list lacks",
    invariants: [23],
    plant: () =>
      on().world.write(
        put({
          ...blockKey(on().organizationId, on().world.actor.user.id),
          userId: on().world.actor.user.id,
          _v: 1,
        }),
      ),
  },
  {
    what: "a block that nobody made",
    invariants: [23],
    plant: () =>
      on().world.write(put({ ...blockMirrorKey(on().world.actor.user.id, 500), ownerId: 500, _v: 1 })),
  },
  {
    what: "a quota group that lacks an owner who is in it",
    invariants: [37],
    plant: () => {
      const key = quotaAssignmentKey(on().organizationId);
      return on().world.write(put({ ...key, ownerId: on().organizationId, groupIds: [7], v: 1, _v: 1 }));
    },
  },
  {
    what: "a quota group with an owner who is not in it",
    invariants: [37],
    plant: () =>
      on().world.write(
        put({ ...quotaMemberKey(8, on().organizationId), ownerId: on().organizationId, _v: 1 }),
      ),
  },
  {
    what: "quota groups of an owner who is not there",
    invariants: [37],
    plant: () =>
      on().world.write(put({ ...quotaAssignmentKey(501), ownerId: 501, groupIds: [], v: 1, _v: 1 })),
  },
  {
    what: "a user without a name",
    invariants: [1],
    plant: () => on().world.write(remove(nameGuardKey("alice"))),
  },
  {
    what: "a name that leads to nobody",
    invariants: [1],
    plant: () => on().world.write(put({ ...nameGuardKey("ghosts"), ownerId: 777, kind: "user", _v: 1 })),
  },
  {
    what: "an address without its guard",
    invariants: [7],
    plant: () => on().world.write(remove(emailGuardKey("a@example.com"))),
  },
  {
    what: "a guard without its address",
    invariants: [7],
    plant: () => on().world.write(remove(emailAddressKey(on().world.actor.user.id, "a@example.com"))),
  },
  {
    what: "an administrator who is not counted",
    invariants: [8],
    plant: () =>
      on().world.write(update(administratorsKey, { take: { ids: new Set([on().world.actor.user.id]) } })),
  },
  {
    what: "a follower whom the followed one does not know",
    invariants: [23],
    plant: () => on().world.write(remove(followerKey(on().followedId, on().world.actor.user.id))),
  },
  {
    what: "a follower who follows nobody",
    invariants: [23],
    plant: () =>
      on().world.write(
        put({ ...followerKey(on().world.actor.user.id, on().followedId), userId: on().followedId, _v: 1 }),
      ),
  },
  {
    what: "counts of followers that are wrong",
    invariants: [23],
    plant: () => on().world.write(update(ownerKey(on().followedId), { add: { followers: 3 } })),
  },
  {
    what: "an account that is not in the list index",
    invariants: [10],
    plant: () => on().world.write(remove(entryKey("DIR#user", on().world.actor.user.id))),
  },
];
