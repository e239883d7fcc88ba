import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { ownerKind, ownersIn } from "../owner/checked-owners.ts";
import { repositoriesIn, repositoryKind } from "../repository/checked-repository.ts";
import { absent, exists } from "../table/condition.ts";
import { check, type Item, keyText, put, remove } from "../table/write.ts";
import { type Activity, activityKeys, type LastActivity, lastActivityKey } from "./activity.table.ts";

const atRepositories = "R#<repository>#A / T#<time>#<event>#<place>";
const atOwners = "U#<owner>#A / T#<time>#<event>#<place>";
const lastKind = "R#<repository>#A / LAST";

/** The attributes that say where an activity lies: the check keeps no others in memory. */
const placeOf = (item: Item): Item => {
  const { pk, sk, repositoryId, actorId, organizationId, at, ttl } = item as Activity;
  return {
    pk,
    sk,
    repositoryId,
    actorId,
    at,
    ttl,
    ...(organizationId === undefined ? {} : { organizationId }),
  };
};

/** Invariant 53: an activity lies at its repository, its actor and its organization alike, while these are there. */
function checkPlaces({ clock }: Forge, facts: TableFacts): Finding[] {
  const nowSeconds = clock.now() / 1000;
  const owners = ownersIn(facts);
  const repositories = repositoriesIn(facts);
  const isKept = ({ ttl, repositoryId }: Activity) =>
    ttl > nowSeconds && repositories.get(repositoryId)?.state === "live";
  const primary = facts.all<Activity>(atRepositories).filter(isKept);
  const copies = facts.all<Activity>(atOwners).filter(isKept);
  const there = new Set([...primary, ...copies].map(keyText));
  const missing = primary.flatMap((activity) =>
    activityKeys(activity)
      .filter((key) => !there.has(keyText(key)) && owners.has(Number(key.pk.split("#")[1])))
      .map((key) => ({
        invariant: 53,
        key: shownKey(key),
        problem: "is missing: the repository has the activity",
        remedy: "writes it",
        repair: copying(activity, key),
      })),
  );
  const astray = copies.flatMap((copy) => {
    const [key] = activityKeys(copy);
    if (key === undefined || there.has(keyText(key)) || !owners.has(copy.actorId)) return [];
    return [
      {
        invariant: 53,
        key: shownKey(copy),
        problem: "is no activity of its repository",
        remedy: "removes it",
        repair: mending([check(key, absent)], remove(copy, exists)),
      },
    ];
  });
  return [...missing, ...astray];
}

/** Copies an activity to another key. It is read anew, because the check kept only its place. */
const copying = (from: Pick<Item, "pk" | "sk">, key: Pick<Item, "pk" | "sk">) => async (forge: Forge) => {
  const found = await forge.table.get<Activity>(from);
  if (found === undefined) return false;
  return mending([check(from, asRead(found))], put({ ...found, ...key }, absent))(forge);
};

/** Invariant 53: a repository knows when something happened last in it. */
function checkLast({ clock }: Forge, facts: TableFacts): Finding[] {
  const told = new Map(facts.all<LastActivity>(lastKind).map((last) => [last.pk, last]));
  const newest = new Map<number, Activity>();
  for (const activity of facts.all<Activity>(atRepositories)) {
    if (activity.ttl <= clock.now() / 1000) continue;
    if ((newest.get(activity.repositoryId)?.at ?? -1) < activity.at)
      newest.set(activity.repositoryId, activity);
  }
  return [...newest].flatMap(([repositoryId, activity]) => {
    const last = told.get(activity.pk);
    if (last !== undefined && last.at >= activity.at) return [];
    const key = lastActivityKey(repositoryId);
    return [
      {
        invariant: 53,
        key: shownKey(key),
        problem: "tells of an older activity than the newest",
        remedy: "writes when that happened",
        repair: mending([check(activity, exists)], put({ ...key, at: activity.at, _v: 1 }, asRead(last))),
      },
    ];
  });
}

export const activityChecks: Checks = {
  reads: [atRepositories, atOwners, lastKind, ownerKind, repositoryKind],
  keeps: { [atRepositories]: placeOf, [atOwners]: placeOf },
  table: [checkPlaces, checkLast],
};
