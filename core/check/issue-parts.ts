import { commentClearingKind } from "../comment/clear.ts";
import { entryKey } from "../comment/comment.table.ts";
import { editKey, editPrefix, keptEdits, type TextEdit } from "../content-history/content-history.table.ts";
import { type DependencyRow, dependencyMirrorKey } from "../dependency/dependency.table.ts";
import type { Forge } from "../forge.ts";
import { goneIssueKey, issueKey } from "../issue/issue.table.ts";
import { type Job, jobPartition, jobParts } from "../jobs/job.table.ts";
import { reactionPrefix } from "../reaction/reaction.table.ts";
import { absent, exists } from "../table/condition.ts";
import { check, type Item, keyText, put, remove, type TableKey } from "../table/write.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

/** An item that lies at an issue, with the issue's number. */
export interface AtIssue<T extends Item> {
  readonly number: number;
  readonly item: T;
}

/** Invariant 27: both ends of a dependency say so, as long as both exist. */
export async function checkDependencies(
  { table }: Forge,
  { repository, dependencies }: RepositoryFacts,
): Promise<Finding[]> {
  const repositoryId = repository.id;
  const placed = dependencies.map(({ number, item }) => ({
    item,
    own: issueKey(repositoryId, number),
    other: issueKey(item.repositoryId, item.number),
    mirror: dependencyMirrorKey({ repositoryId, number }, item),
    mirrored: { repositoryId, number } as const,
  }));
  const found = await table.getAll(placed.flatMap(({ own, other, mirror }) => [own, other, mirror]));
  return placed.flatMap(({ item, own, other, mirror, mirrored }): Finding[] => {
    if (found.has(keyText(mirror)) || !found.has(keyText(own)) || !found.has(keyText(other))) return [];
    const row: DependencyRow = { ...mirror, ...mirrored, _v: 1 };
    return [
      {
        invariant: 27,
        key: shownKey(mirror),
        problem: `is missing: ${shownKey(item)} is its other end`,
        remedy: "writes it",
        repair: mending([check(item, exists), check(own, exists), check(other, exists)], put(row, absent)),
      },
    ];
  });
}

/** Invariant 35: of each text that was edited the edits are there that its history keeps. */
export function checkContentHistories({ edited, asides }: RepositoryFacts): Finding[] {
  const nameOf = (key: TableKey, number: number) => `${keyText(key)} ${number}`;
  const edits = asides.flatMap(({ item }) => (item.sk.startsWith(editPrefix) ? [item as TextEdit] : []));
  const found = new Set(edits.map((edit) => nameOf(edit, edit.number)));
  return edited.flatMap(({ place, edits: count }) =>
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

/** Invariant 27: reactions, subscriptions and edits are of issues and comments that are there, or that a job is clearing up. */
export async function checkAsides(
  { table }: Forge,
  { repository, asides, issues, expectedRows, items }: RepositoryFacts,
): Promise<Finding[]> {
  const repositoryId = repository.id;
  const gone = new Set(items.map(({ sk }) => sk));
  const lost = asides.flatMap(({ number, item }) => {
    const commentId = commentOf(item);
    const isClearing = gone.has(goneIssueKey(repositoryId, number).sk);
    const isThere = issues.has(number) && (commentId === 0 || expectedRows.has(commentId));
    const subject =
      commentId === 0 ? issueKey(repositoryId, number) : entryKey(repositoryId, number, commentId);
    return isThere || isClearing ? [] : { item, commentId, subject };
  });
  const cleared = lost.length === 0 ? new Set() : await commentsBeingCleared(table);
  return lost
    .filter(({ commentId }) => !cleared.has(commentId))
    .map(({ item, subject }) => ({
      invariant: 27,
      key: shownKey(item),
      problem: `${shownKey(subject)}, which it is about, is not there`,
      remedy: "removes it",
      repair: mending([check(subject, absent)], remove(item as TableKey, asRead(item))),
    }));
}

/** The comment that a reaction is on, or that was edited; 0 for what is on the issue itself. */
function commentOf({ sk }: Item): number {
  const prefix = [reactionPrefix, editPrefix].find((one) => sk.startsWith(one));
  return prefix === undefined ? 0 : Number(sk.slice(prefix.length).split("#")[0]);
}

async function commentsBeingCleared(table: Forge["table"]): Promise<Set<number>> {
  const parts = Array.from({ length: jobParts }, (_, part) =>
    table.queryAll<Job>({ pk: jobPartition(part) }),
  );
  const jobs = (await Promise.all(parts)).flat().filter(({ kind }) => kind === commentClearingKind);
  return new Set(jobs.map((job) => (job.arguments as { commentId: number }).commentId));
}
