import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent } from "../table/condition.ts";
import { check, type Item, keyText, put, remove } from "../table/write.ts";
import {
  type Collaborator,
  type CollaboratorMirror,
  collaboratorKey,
  collaboratorMirrorKey,
  collaboratorPrefix,
} from "./collaborator.table.ts";

const rowKind = "R#<repository> / C#<user>";
const mirrorKind = "U#<user> / COLL#<repository>";

/** Invariant 6: each collaborator's row has its mirror at the user, and the owner is none. */
async function checkCollaborators(forge: Forge, { repository, items }: RepositoryFacts): Promise<Finding[]> {
  const rows = items.filter((item) => item.sk.startsWith(collaboratorPrefix)) as Collaborator[];
  const keyOf = ({ userId }: Collaborator) => collaboratorMirrorKey(userId, repository.id);
  const found = await forge.table.getAll<CollaboratorMirror>(rows.map(keyOf));
  return rows.flatMap((row): Finding[] => {
    if (row.userId === repository.ownerId) {
      const remedy = "remove the owner from the collaborators";
      return [{ invariant: 6, key: shownKey(row), problem: "the owner is a collaborator", remedy }];
    }
    const key = keyOf(row);
    const mirror = found.get(keyText(key));
    if (mirror?.mode === row.mode && mirror.memberOf === row.memberOf) return [];
    const { mode, memberOf } = row;
    const given = { mode, ...defined({ memberOf }) };
    const mended = put({ ...key, repositoryId: repository.id, ...given, _v: 1 }, asRead(mirror));
    return [
      {
        invariant: 6,
        key: shownKey(key),
        problem:
          mirror === undefined
            ? "is missing"
            : `says otherwise (${mirror.mode}) than the repository (${mode})`,
        remedy: "writes what the repository says",
        repair: mending([check(row, asRead(row))], mended),
      },
    ];
  });
}

/** Invariant 6: what a user's list says of collaborations is what the repositories say. */
function checkCollaborations(facts: TableFacts): Finding[] {
  const rows = new Set(facts.all(rowKind).map(keyText));
  return facts.all<CollaboratorMirror>(mirrorKind).flatMap((mirror): Finding[] => {
    const row = collaboratorKey(mirror.repositoryId, Number(mirror.pk.split("#")[1]));
    if (rows.has(keyText(row))) return [];
    return [
      {
        invariant: 6,
        key: shownKey(mirror),
        problem: "tells of rights that the repository does not give",
        remedy: "removes it",
        repair: mending([check(row, absent)], remove(mirror, asRead(mirror))),
      },
    ];
  });
}

export const collaboratorChecks: Checks = {
  reads: [rowKind, mirrorKind],
  keeps: { [rowKind]: ({ pk, sk }: Item): Item => ({ pk, sk }) },
  table: [(_, facts) => checkCollaborations(facts)],
  repository: [checkCollaborators],
};
