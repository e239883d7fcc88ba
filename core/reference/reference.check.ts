import { entriesIn, entryKind } from "../comment/checked-entries.ts";
import { entryKey, rowOf, type TimelineEntry } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import { addressIn } from "../issue/checked-issues.ts";
import { issueKey, type UserIssueRow } from "../issue/issue.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, type Item, keyText, put } from "../table/write.ts";
import {
  type Mention,
  mentionedRow,
  type TextReference,
  type TextReferences,
  textReferencesKey,
} from "./reference.table.ts";

const mentionKind = "I#<repository>.<number> / MENTION#<user>";
const referencesKind = "I#<repository>.<number> / X#<comment>";

/** Invariant 30: a user mentioned in an issue has a row for it among the issues that mention them. */
async function checkMentions({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const mentions = facts.all<Mention>(mentionKind);
  const rowAt = (mention: Mention) => mentionedRow(mention.userId, addressIn(mention));
  const found = await table.getAll<UserIssueRow>(mentions.map(rowAt));
  return mentions.flatMap((mention): Finding[] => {
    const row = rowAt(mention);
    if (found.has(keyText(row))) return [];
    const repair = mending([check(mention, exists)], put(row, absent));
    return [{ invariant: 30, key: shownKey(row), problem: "is missing", remedy: "writes the row", repair }];
  });
}

/** Invariant 30: the issue that a text refers to has an entry about it, unless that issue is gone. */
async function checkTextReferences({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const textReferences = facts.all<TextReferences>(referencesKind);
  const all = textReferences.flatMap(({ references }) => references);
  const entryAt = ({ repositoryId, number, entryId }: TextReference) =>
    entryKey(repositoryId, number, entryId);
  const issueAt = ({ repositoryId, number }: TextReference) => issueKey(repositoryId, number);
  const found = await table.getAll<Item>(all.flatMap((one) => [entryAt(one), issueAt(one)]));
  const isTold = (one: TextReference) => {
    const entry = found.get(keyText(entryAt(one))) as TimelineEntry | undefined;
    if (entry === undefined) return !found.has(keyText(issueAt(one)));
    return entry.refAction !== "neutered";
  };
  return textReferences.flatMap((text): Finding[] => {
    const kept = text.references.filter(isTold);
    if (kept.length === text.references.length) return [];
    const next: TextReferences = { ...text, references: kept, v: text.v + 1 };
    return [
      {
        invariant: 30,
        key: shownKey(text),
        problem: "names what the timeline there does not tell",
        remedy: "takes it out; the next change of the text tells it anew",
        repair: mending([], put(next, equals({ v: text.v }))),
      },
    ];
  });
}

/** Invariant 30: of what a timeline tells of a text, and is not neutered, that text is known to refer there. */
async function checkReferringEntries({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const referring = entriesIn(facts).filter(
    ({ related, refAction }) => related?.isReference === true && refAction !== "neutered",
  );
  const sourceOf = ({ related, relatedCommentId = 0 }: TimelineEntry) =>
    textReferencesKey({ repositoryId: 0, number: 0, ...related, commentId: relatedCommentId });
  const homeOf = ({ related }: TimelineEntry) => repositoryKey(related?.repositoryId ?? 0);
  const found = await table.getAll<Item>(referring.flatMap((one) => [sourceOf(one), homeOf(one)]));
  return referring.flatMap((entry): Finding[] => {
    const source = found.get(keyText(sourceOf(entry))) as TextReferences | undefined;
    if (source?.references.some(({ entryId }) => entryId === entry.id) === true) return [];
    const home = found.get(keyText(homeOf(entry))) as Repository | undefined;
    if (home?.state !== "live") return []; // nobody is shown it
    const neutered = { ...entry, refAction: "neutered", v: entry.v + 1 } as const;
    return [
      {
        invariant: 30,
        key: shownKey(entry),
        problem: "tells of a text that is not known to refer there",
        remedy: "says that it no longer does",
        repair: mending(
          [check(sourceOf(entry), asRead(source))],
          put(neutered, equals({ v: entry.v })),
          put(rowOf(neutered), exists),
        ),
      },
    ];
  });
}

export const referenceChecks: Checks = {
  reads: [mentionKind, referencesKind, entryKind],
  live: [checkMentions, checkTextReferences, checkReferringEntries],
};
