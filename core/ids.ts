import { randomBytes } from "node:crypto";
import type { TableKey } from "./table/write.ts";
import type { Table } from "./table.ts";

/** Kinds that have a counter of global ids. Users and organizations share `owner`: they share a namespace. */
export const idKinds = [
  "owner",
  "repository",
  "token",
  "issue",
  "comment",
  "hook",
  "team",
  "label",
  "milestone",
  "topic",
  "key",
  "deploy-key",
  "gpg-key",
  "branch-protection",
  "tag-protection",
  "tracked-time",
  "attachment",
  "review",
  "lfs-lock",
  "package",
  "package-file",
  "runner",
  "notification",
  "oauth2-application",
  "activity",
] as const;
export type IdKind = (typeof idKinds)[number];

/** The counter of a kind of ids. */
export const sequenceKey = (name: string): TableKey => ({ pk: `SEQ#${name}`, sk: "#" });

/** The next id of a kind: increasing, never given twice, taken outside any transaction (D-NUMBER). */
export const nextId = (table: Table, kind: IdKind): Promise<number> =>
  table.increment(sequenceKey(kind), "n");

/** As many ids of a kind as asked for, in order, in one request. */
export async function nextIds(table: Table, kind: IdKind, count: number): Promise<number[]> {
  const last = await table.increment(sequenceKey(kind), "n", count);
  return Array.from({ length: count }, (_, place) => last - count + 1 + place);
}

/** The greatest id of a kind given so far, 0 when none. */
export const lastId = (table: Table, kind: IdKind): Promise<number> => lastNumber(table, sequenceKey(kind));

/** The greatest number that a counter has given so far, 0 when none. */
export async function lastNumber(table: Table, sequence: TableKey): Promise<number> {
  return Number((await table.get(sequence))?.n ?? 0);
}

/** The counter of a repository's issue and pull numbers. */
export const issueSequenceKey = (repositoryId: number): TableKey => sequenceKey(`issue#${repositoryId}`);

/** The next issue or pull number of a repository; the two kinds share the counter (semantics §19.1). */
export const nextIssueNumber = (table: Table, repositoryId: number): Promise<number> =>
  table.increment(issueSequenceKey(repositoryId), "n");

/** The counter of a repository's release numbers. */
export const releaseSequenceKey = (repositoryId: number): TableKey => sequenceKey(`release#${repositoryId}`);

/** The next release number of a repository. */
export const nextReleaseNumber = (table: Table, repositoryId: number): Promise<number> =>
  table.increment(releaseSequenceKey(repositoryId), "n");

/** The counter of the numbers of a repository's artifacts. */
export const artifactSequenceKey = (repositoryId: number): TableKey =>
  sequenceKey(`artifact#${repositoryId}`);

/** The next number of an artifact in a repository. */
export const nextArtifactNumber = (table: Table, repositoryId: number): Promise<number> =>
  table.increment(artifactSequenceKey(repositoryId), "n");

/** The counters of the numbers of a repository's runs, and of their jobs. */
export const runSequenceKey = (repositoryId: number): TableKey => sequenceKey(`run#${repositoryId}`);
export const runJobSequenceKey = (repositoryId: number): TableKey => sequenceKey(`run-job#${repositoryId}`);

/** The next number of a run in a repository. */
export const nextRunNumber = (table: Table, repositoryId: number): Promise<number> =>
  table.increment(runSequenceKey(repositoryId), "n");

/** The first of `count` consecutive numbers for jobs of a repository's runs. */
export async function nextJobNumbers(table: Table, repositoryId: number, count: number): Promise<number> {
  return (await table.increment(runJobSequenceKey(repositoryId), "n", count)) - count + 1;
}

/** The counter of the versions of an owner's packages. */
export const packageSequenceKey = (ownerId: number): TableKey => sequenceKey(`package#${ownerId}`);

/** The next number of a version of an owner's packages. */
export const nextPackageNumber = (table: Table, ownerId: number): Promise<number> =>
  table.increment(packageSequenceKey(ownerId), "n");

/** A number in a sort key: ten digits, zero-padded, so that text order is number order. */
export const padded = (number: number, digits = 10): string => String(number).padStart(digits, "0");

/** A time in milliseconds in a sort key: sixteen digits. */
export const paddedTime = (timeMs: number): string => padded(timeMs, 16);

/** 64 random bits in hex: names of immutable things that rivals may write at the same time. */
export const randomId = (): string => randomBytes(8).toString("hex");
