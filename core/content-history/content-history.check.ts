import { entriesIn, entryKind } from "../comment/checked-entries.ts";
import { commentPlace } from "../comment/comment.table.ts";
import { issueKind, issuesIn } from "../issue/checked-issues.ts";
import { issuePlace } from "../issue/issue.table.ts";
import { checkOrphans } from "../issue/orphans.check.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { keyText, type TableKey } from "../table/write.ts";
import { editKey, keptEdits, type TextEdit } from "./content-history.table.ts";

const editKind = "I#<repository>.<number> / H#<comment>#<slot>";

/** The texts that were edited, and how often. */
function editedIn(facts: RepositoryFacts) {
  const texts = [
    ...[...issuesIn(facts).values()].map((issue) => ({ place: issuePlace(issue), edits: issue.edits })),
    ...entriesIn(facts)
      .filter(({ type }) => type === "comment")
      .map((entry) => ({ place: commentPlace(entry), edits: entry.edits })),
  ];
  return texts.flatMap(({ place, edits }) => (edits === undefined ? [] : { place, edits }));
}

/** Invariant 35: of each text that was edited the edits are there that its history keeps. */
function checkContentHistories(facts: RepositoryFacts): Finding[] {
  const nameOf = (key: TableKey, number: number) => `${keyText(key)} ${number}`;
  const found = new Set(facts.all<TextEdit>(editKind).map((edit) => nameOf(edit, edit.number)));
  return editedIn(facts).flatMap(({ place, edits: count }) =>
    keptEdits(count)
      .map((number) => ({ number, key: editKey(place, number) }))
      .filter(({ number, key }) => !found.has(nameOf(key, number)))
      .map(({ number, key }) => ({
        invariant: 35,
        key: shownKey(key),
        problem: `edit ${number} of ${count} is not there`,
        remedy: "nothing says what the text was before it: left to people",
      })),
  );
}

export const contentHistoryChecks: Checks = {
  reads: [editKind, issueKind, entryKind],
  keeps: { [editKind]: ({ former: _, ...edit }) => edit },
  live: [(_, facts) => checkContentHistories(facts), checkOrphans(editKind)],
};
