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
  isMark,
  type Mark,
  type MarkKind,
  markKey,
  markKinds,
  markMirrorKey,
  markPrefix,
  marksOfUser,
} from "./mark.table.ts";

const heldKinds = ["R#<repository> / STAR#<user>", "R#<repository> / WATCH#<user>"];
const mirrorKinds = ["U#<user> / STAR#<repository>", "U#<user> / WATCH#<repository>"];

const mirrorsIn = (facts: TableFacts): Mark[] => mirrorKinds.flatMap((kind) => facts.all<Mark>(kind));

const kindOf = ({ sk }: Mark): MarkKind =>
  markKinds.find((kind) => sk.startsWith(markPrefix[kind])) ?? "star";

/** Invariant 25: each star and each watch of a repository lies at its user's, too, and is the same there. */
async function checkMarks(forge: Forge, { items }: RepositoryFacts): Promise<Finding[]> {
  const marks = items.filter(isMark) as Mark[];
  const mirrorKeyOf = (mark: Mark) => markMirrorKey(kindOf(mark), mark.userId, mark.repositoryId);
  const found = await forge.table.getAll<Mark>(marks.map(mirrorKeyOf));
  return marks.flatMap((mark): Finding[] => {
    const key = mirrorKeyOf(mark);
    const mirror = found.get(keyText(key));
    if (mirror?.mode === mark.mode) return [];
    const mended = put({ ...mark, ...key }, asRead(mirror));
    return [
      {
        invariant: 25,
        key: shownKey(key),
        problem: mirror === undefined ? "is missing" : "says otherwise than the repository",
        remedy: "writes what the repository says",
        repair: mending([check(mark, asRead(mark))], mended),
      },
    ];
  });
}

/** Invariant 25: no user has a star or a watch that its repository does not know. */
function checkMarkMirrors(facts: TableFacts): Finding[] {
  const marks = new Set(heldKinds.flatMap((kind) => facts.all(kind)).map(keyText));
  return mirrorsIn(facts).flatMap((mirror): Finding[] => {
    const key = markKey(kindOf(mirror), mirror.repositoryId, mirror.userId);
    if (marks.has(keyText(key))) return [];
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
    const starred = (await table.queryAll(marksOfUser("star", userId))).length;
    return user && { told: user.starred, starred };
  });
  if (found === undefined) return false;
  return table.write(update(key, { set: { starred: found.starred } }, equals({ starred: found.told })));
}

/** The keys alone say what there is at repositories. */
const keyOf = ({ pk, sk }: Item): Item => ({ pk, sk });

export const markChecks: Checks = {
  reads: [...heldKinds, ...mirrorKinds, ownerKind],
  keeps: Object.fromEntries(heldKinds.map((kind) => [kind, keyOf])),
  table: [(_, facts) => checkMarkMirrors(facts), (_, facts) => checkStarCounts(facts)],
  live: [checkMarks],
};
