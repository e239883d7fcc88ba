import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { agreed, asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { ownerKind, ownersIn } from "../owner/checked-owners.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, type Item, keyText, put, remove, update } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import {
  isStarOrWatch,
  type StarOrWatch,
  type StarOrWatchKind,
  starAndWatchKinds,
  starAndWatchPrefixes,
  starOrWatchKey,
  starOrWatchMirrorKey,
  starsAndWatchesOfUser,
} from "./star-watch.table.ts";

const heldKinds = ["R#<repository> / STAR#<user>", "R#<repository> / WATCH#<user>"];
const mirrorKinds = ["U#<user> / STAR#<repository>", "U#<user> / WATCH#<repository>"];

const mirrorsIn = (facts: TableFacts): StarOrWatch[] =>
  mirrorKinds.flatMap((kind) => facts.all<StarOrWatch>(kind));

const kindOf = ({ sk }: StarOrWatch): StarOrWatchKind =>
  starAndWatchKinds.find((kind) => sk.startsWith(starAndWatchPrefixes[kind])) ?? "star";

/** Invariant 25: each star and each watch of a repository lies at its user's, too, and is the same there. */
async function checkStarsAndWatches(forge: Forge, { items }: RepositoryFacts): Promise<Finding[]> {
  const starsAndWatches = items.filter(isStarOrWatch) as StarOrWatch[];
  const mirrorKeyOf = (starOrWatch: StarOrWatch) =>
    starOrWatchMirrorKey(kindOf(starOrWatch), starOrWatch.userId, starOrWatch.repositoryId);
  const found = await forge.table.getAll<StarOrWatch>(starsAndWatches.map(mirrorKeyOf));
  return starsAndWatches.flatMap((starOrWatch): Finding[] => {
    const key = mirrorKeyOf(starOrWatch);
    const mirror = found.get(keyText(key));
    if (mirror?.mode === starOrWatch.mode) return [];
    const mended = put({ ...starOrWatch, ...key }, asRead(mirror));
    return [
      {
        invariant: 25,
        key: shownKey(key),
        problem: mirror === undefined ? "is missing" : "says otherwise than the repository",
        remedy: "writes what the repository says",
        repair: mending([check(starOrWatch, asRead(starOrWatch))], mended),
      },
    ];
  });
}

/** Invariant 25: no user has a star or a watch that its repository does not know. */
function checkStarAndWatchMirrors(facts: TableFacts): Finding[] {
  const starsAndWatches = new Set(heldKinds.flatMap((kind) => facts.all(kind)).map(keyText));
  return mirrorsIn(facts).flatMap((mirror): Finding[] => {
    const key = starOrWatchKey(kindOf(mirror), mirror.repositoryId, mirror.userId);
    if (starsAndWatches.has(keyText(key))) return [];
    return [
      {
        invariant: 25,
        key: shownKey(mirror),
        problem: "tells of what the repository does not know",
        remedy: "removes it",
        repair: mending([check(key, absent)], remove(mirror, asRead(mirror))),
      },
    ];
  });
}

/** Invariant 25: users count the stars right that lie at theirs. */
function checkStarCounts(facts: TableFacts): Finding[] {
  const counted = new Map<number, number>();
  for (const mirror of mirrorsIn(facts)) {
    if (kindOf(mirror) === "star") counted.set(mirror.userId, (counted.get(mirror.userId) ?? 0) + 1);
  }
  return [...ownersIn(facts).values()].flatMap((owner): Finding[] => {
    if (owner.kind !== "user") return [];
    const [told, found] = [owner.starred ?? 0, counted.get(owner.id) ?? 0];
    if (told === found) return [];
    return [
      {
        invariant: 25,
        key: shownKey(owner),
        problem: `has ${told} stars by their count, ${found} in the table`,
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
    const starred = (await table.queryAll(starsAndWatchesOfUser("star", userId))).length;
    return user && { told: user.starred, starred };
  });
  if (found === undefined) return false;
  return table.write(update(key, { set: { starred: found.starred } }, equals({ starred: found.told })));
}

/** The keys alone say what there is at repositories. */
const keyOf = ({ pk, sk }: Item): Item => ({ pk, sk });

export const starWatchChecks: Checks = {
  reads: [...heldKinds, ...mirrorKinds, ownerKind],
  keeps: Object.fromEntries(heldKinds.map((kind) => [kind, keyOf])),
  table: [(_, facts) => checkStarAndWatchMirrors(facts), (_, facts) => checkStarCounts(facts)],
  live: [checkStarsAndWatches],
};
