import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { agreed, asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { ownerKind, ownersIn } from "../owner/checked-owners.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, keyText, put, remove, update } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type Follow, followerKey, followersOf, followKey, followsOf } from "./follow.table.ts";

const idIn = (pk: string): number => Number(pk.split("#")[1]);

/** Invariant 23: who follows whom says the same at both ends, and users count it right. */
const checkFollows = (facts: TableFacts): Finding[] => [...checkMirrors(facts), ...checkCounts(facts)];

const followedKind = "U#<user> / FOL#<user>";
const followerKind = "U#<user> / FOLLOWER#<user>";

function checkMirrors(facts: TableFacts): Finding[] {
  const [follows, followers] = [facts.all<Follow>(followedKind), facts.all<Follow>(followerKind)];
  const primary = new Set(follows.map(keyText));
  const mirrors = new Set(followers.map(keyText));
  const missing = follows.flatMap((follow): Finding[] => {
    const followerId = idIn(follow.pk);
    const mirror: Follow = { ...follow, ...followerKey(follow.userId, followerId), userId: followerId };
    if (mirrors.has(keyText(mirror))) return [];
    return [
      {
        invariant: 23,
        key: shownKey(mirror),
        problem: "is missing; the other end says that the user follows",
        remedy: "writes it",
        repair: mending([check(follow, asRead(follow))], put(mirror, absent)),
      },
    ];
  });
  const astray = followers.flatMap((mirror): Finding[] => {
    const key = followKey(mirror.userId, idIn(mirror.pk));
    if (primary.has(keyText(key))) return [];
    return [
      {
        invariant: 23,
        key: shownKey(mirror),
        problem: "tells of a follower who does not follow",
        remedy: "removes it",
        repair: mending([check(key, absent)], remove(mirror, exists)),
      },
    ];
  });
  return [...missing, ...astray];
}

/** By the rows of those who follow, which mirrors are made equal to. */
function checkCounts(facts: TableFacts): Finding[] {
  const following = new Map<number, number>();
  const followed = new Map<number, number>();
  const count = (map: Map<number, number>, id: number) => map.set(id, (map.get(id) ?? 0) + 1);
  for (const { pk, userId } of facts.all<Follow>(followedKind)) {
    count(following, idIn(pk));
    count(followed, userId);
  }
  return [...ownersIn(facts).values()].flatMap((owner): Finding[] => {
    if (owner.kind !== "user") return [];
    const told = [owner.following ?? 0, owner.followers ?? 0];
    const counted = [following.get(owner.id) ?? 0, followed.get(owner.id) ?? 0];
    if (told[0] === counted[0] && told[1] === counted[1]) return [];
    return [
      {
        invariant: 23,
        key: shownKey(owner),
        problem: `follows ${told[0]} and has ${told[1]} followers by their counts, ${counted[0]} and ${counted[1]} in the table`,
        remedy: "counts anew",
        repair: (forge) => recount(forge, owner.id),
      },
    ];
  });
}

async function recount({ table }: Forge, userId: number): Promise<boolean> {
  const key = ownerKey(userId);
  const found = await agreed(async () => {
    const user = await table.get<User>(key);
    const following = (await table.queryAll(followsOf(userId))).length;
    const followers = (await table.queryAll(followersOf(userId))).length;
    return user && { told: { following: user.following, followers: user.followers }, following, followers };
  });
  if (found === undefined) return false;
  const { told, following, followers } = found;
  return table.write(update(key, { set: { following, followers } }, equals(told)));
}

export const followChecks: Checks = {
  reads: [followedKind, followerKind, ownerKind],
  table: [(_, facts) => checkFollows(facts)],
};
