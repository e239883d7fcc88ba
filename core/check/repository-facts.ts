import {
  type Comment,
  commentPlace,
  type EntryRow,
  entryRowsPartition,
  rowOf,
  type TimelineEntry,
} from "../comment/comment.table.ts";
import { editPrefix } from "../content-history/content-history.table.ts";
import { type DependencyRow, dependencyPrefix } from "../dependency/dependency.table.ts";
import type { Forge } from "../forge.ts";
import { lastIssueNumber } from "../ids.ts";
import { type Issue, issuePartition, issuePlace, subscriptionPrefix } from "../issue/issue.table.ts";
import { reactionPrefix } from "../reaction/reaction.table.ts";
import {
  type Mention,
  mentionPrefix,
  type TextReferences,
  textReferencesPrefix,
} from "../reference/reference.table.ts";
import { type Repository, repositoryKey, repositoryPartition } from "../repository/repository.table.ts";
import { mirrorPrefix, type StopwatchMirror } from "../stopwatch/stopwatch.table.ts";
import type { Item } from "../table/write.ts";
import { type TrackedTime, timePrefix } from "../tracked-time/tracked-time.table.ts";
import type { TextPlace } from "../word-index/word-index.table.ts";
import { shownKey } from "./finding.ts";
import type { AtIssue } from "./issue-parts.ts";
import { type Text, textOf } from "./texts.ts";

/** The facts for the checks of one repository, read once. Bodies are dropped as soon as their words are known. */
export interface RepositoryFacts {
  readonly repository: Repository;
  /** The items of the repository's own partition. */
  readonly items: readonly Item[];
  /** The counter of issue numbers. */
  readonly lastNumber: number;
  /** By number, without their bodies. */
  readonly issues: ReadonlyMap<number, Issue>;
  /** How many comments each issue has, by number. */
  readonly comments: ReadonlyMap<number, number>;
  /** The rows that timeline entries should have, by id, with the entry's version. */
  readonly expectedRows: ReadonlyMap<number, { readonly row: EntryRow; readonly v: number }>;
  readonly rows: readonly EntryRow[];
  /** Which attachments issues and comments name, and which item does. */
  readonly attachmentIds: ReadonlyMap<number, string>;
  readonly times: readonly TrackedTime[];
  readonly stopwatchMirrors: readonly StopwatchMirror[];
  readonly dependencies: readonly AtIssue<DependencyRow>[];
  /** Reactions, subscriptions, and edits of texts, without what those were before. */
  readonly asides: readonly AtIssue<Item>[];
  readonly mentions: readonly Mention[];
  readonly textReferences: readonly TextReferences[];
  /** Entries that tell of a text, without the neutered ones. */
  readonly referring: readonly TimelineEntry[];
  /** The texts whose words are found, by name. */
  readonly texts: ReadonlyMap<string, Text>;
  /** Those that were edited, and how often. */
  readonly edited: readonly { readonly place: TextPlace; readonly edits: number }[];
}

/** Reads them; undefined when there is no such repository. */
export async function readFacts(forge: Forge, repositoryId: number): Promise<RepositoryFacts | undefined> {
  const { table } = forge;
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  if (repository === undefined) return undefined;
  const [items, lastNumber, rows] = await Promise.all([
    table.queryAll({ pk: repositoryPartition(repositoryId) }),
    lastIssueNumber(table, repositoryId),
    table.queryAll<EntryRow>({ pk: entryRowsPartition(repositoryId) }),
  ]);
  const last = rows.reduce((most, row) => Math.max(most, row.issueNumber), lastNumber);
  const tracker = await readTracker(forge, repositoryId, last + beyondCounter);
  return { repository, items, lastNumber, rows, ...tracker };
}

/** A counter that was set back is noticed by issues behind it. */
const beyondCounter = 5;
const issuesAtOnce = 20;

async function readTracker({ table }: Forge, repositoryId: number, last: number) {
  const issues = new Map<number, Issue>();
  const comments = new Map<number, number>();
  const expectedRows = new Map<number, { row: EntryRow; v: number }>();
  const texts = new Map<string, Text>();
  const attachmentIds = new Map<number, string>();
  const times: TrackedTime[] = [];
  const stopwatchMirrors: StopwatchMirror[] = [];
  const dependencies: AtIssue<DependencyRow>[] = [];
  const asides: AtIssue<Item>[] = [];
  const mentions: Mention[] = [];
  const textReferences: TextReferences[] = [];
  const referring: TimelineEntry[] = [];
  const edited: { place: TextPlace; edits: number }[] = [];
  const take = (item: Item, number: number) => {
    if (item.sk.startsWith(dependencyPrefix)) dependencies.push({ number, item: item as DependencyRow });
    if (item.sk.startsWith(reactionPrefix) || item.sk.startsWith(subscriptionPrefix))
      asides.push({ number, item });
    if (item.sk.startsWith(editPrefix)) {
      const { former: _, ...edit } = item;
      asides.push({ number, item: edit });
    }
    for (const id of (item as Partial<Issue>).attachmentIds ?? []) attachmentIds.set(id, shownKey(item));
    if (item.sk.startsWith(timePrefix)) times.push(item as TrackedTime);
    if (item.sk.startsWith(mirrorPrefix)) stopwatchMirrors.push(item as StopwatchMirror);
    if (item.sk.startsWith(mentionPrefix)) mentions.push(item as Mention);
    if (item.sk.startsWith(textReferencesPrefix)) textReferences.push(item as TextReferences);
    if (item.sk === "#") {
      const issue = item as Issue;
      keep(texts, textOf.issue(issue));
      if (issue.edits !== undefined) edited.push({ place: issuePlace(issue), edits: issue.edits });
      issues.set(issue.number, { ...issue, body: "" });
    } else if (item.sk.startsWith("C#")) {
      const entry = item as TimelineEntry;
      expectedRows.set(entry.id, { row: rowOf(entry), v: entry.v });
      if (entry.related?.isReference === true && entry.refAction !== "neutered") referring.push(entry);
      if (entry.type !== "comment") return;
      keep(texts, textOf.comment(entry as Comment));
      if (entry.edits !== undefined) edited.push({ place: commentPlace(entry), edits: entry.edits });
      comments.set(entry.issueNumber, (comments.get(entry.issueNumber) ?? 0) + 1);
    }
  };
  for (let first = 1; first <= last; first += issuesAtOnce) {
    const numbers = Array.from({ length: Math.min(issuesAtOnce, last - first + 1) }, (_, at) => first + at);
    const read = numbers.map((number) => table.queryAll({ pk: issuePartition(repositoryId, number) }));
    const partitions = await Promise.all(read);
    for (const [at, items] of partitions.entries()) for (const item of items) take(item, first + at);
  }
  return {
    issues,
    comments,
    expectedRows,
    texts,
    attachmentIds,
    times,
    stopwatchMirrors,
    dependencies,
    asides,
    mentions,
    textReferences,
    referring,
    edited,
  };
}

const keep = (texts: Map<string, Text>, text: Text) => texts.set(text.name, text);
