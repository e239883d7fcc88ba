import type { Forge } from "../forge.ts";
import {
  isMark,
  type Mark,
  type MarkKind,
  markKey,
  markKinds,
  markMirrorKey,
  markPrefix,
} from "../mark/mark.table.ts";
import { absent, check, keyText, put, remove } from "../table.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";
import type { TableFacts } from "./table-facts.ts";

const kindOf = ({ sk }: Mark): MarkKind =>
  markKinds.find((kind) => sk.startsWith(markPrefix[kind])) ?? "star";

/** Invariant 25: each star and each watch of a repository lies at its user's, too, and is the same there. */
export async function checkMarks(forge: Forge, { items }: RepositoryFacts): Promise<Finding[]> {
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
export function checkMarkMirrors({ marks, markMirrors }: TableFacts): Finding[] {
  return markMirrors.flatMap((mirror): Finding[] => {
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
