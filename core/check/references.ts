import { entryKey, rowOf, type TimelineEntry } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import { issueKey, type UserIssueRow } from "../issue/issue.table.ts";
import {
  type Mention,
  mentionedRow,
  type TextReference,
  type TextReferences,
  textReferencesKey,
} from "../reference/reference.table.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, type Item, keyText, put, type TableKey } from "../table/write.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

/** The issue of an item's partition: `I#<repository>.<number>`. */
function addressIn({ pk }: TableKey): { repositoryId: number; number: number } {
  const [repositoryId = 0, number = 0] = pk.slice("I#".length).split(".").map(Number);
  return { repositoryId, number };
}

/** Invariant 30: a user mentioned in an issue has a row for it among the issues that mention them. */
export async function checkMentions({ table }: Forge, { mentions }: RepositoryFacts): Promise<Finding[]> {
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
export async function checkTextReferences(
  { table }: Forge,
  { textReferences }: RepositoryFacts,
): Promise<Finding[]> {
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
export async function checkReferringEntries(
  { table }: Forge,
  { referring }: RepositoryFacts,
): Promise<Finding[]> {
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
