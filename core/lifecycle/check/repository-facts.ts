import { type EntryRow, entryRowsPartition } from "../../comment/comment.table.ts";
import type { Forge } from "../../forge.ts";
import { issueSequenceKey, lastNumber } from "../../ids.ts";
import { issuePartition } from "../../issue/issue.table.ts";
import { type CheckedReleases, readCheckedReleases } from "../../release/checked-releases.ts";
import { type Repository, repositoryKey, repositoryPartition } from "../../repository/repository.table.ts";
import type { Item } from "../../table/write.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Checks, KeptItems } from "./checks.ts";
import { type ItemKeeper, itemKeeper } from "./kept-items.ts";

/** What the checks of one repository look at, read once; `all` answers items of its issues. */
export interface RepositoryFacts extends KeptItems {
  readonly repository: Repository;
  /** The items of the repository's own partition. */
  readonly items: readonly Item[];
  /** The counter of issue numbers. */
  readonly lastNumber: number;
  /** The rows of timeline entries. */
  readonly rows: readonly EntryRow[];
  /** The releases, without their notes. */
  readonly released: CheckedReleases;
  /** The same facts, read once more; undefined when the repository is gone. */
  readonly again: (forge: Forge) => Promise<RepositoryFacts | undefined>;
}

/** A counter that was set back is noticed by issues behind it. */
const beyondCounter = 5;
const issuesAtOnce = 20;

/** Reads them; undefined when there is no such repository. */
export async function readFacts(
  forge: Forge,
  repositoryId: number,
  lifecycles: readonly Lifecycle[],
  checks: readonly Checks[],
): Promise<RepositoryFacts | undefined> {
  const { table } = forge;
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  if (repository === undefined) return undefined;
  const [items, lastIssue, rows, released] = await Promise.all([
    table.queryAll({ pk: repositoryPartition(repositoryId) }),
    lastNumber(table, issueSequenceKey(repositoryId)),
    table.queryAll<EntryRow>({ pk: entryRowsPartition(repositoryId) }),
    readCheckedReleases(forge, repositoryId),
  ]);
  const kinds = lifecycles.flatMap((one) => one.items).filter(({ at }) => at.startsWith("I#"));
  const keeper = itemKeeper(kinds, checks, (at) => at.startsWith("I#"));
  const last = rows.reduce((most, row) => Math.max(most, row.issueNumber), lastIssue);
  await readIssues(forge, repositoryId, last + beyondCounter, keeper);
  const again = (on: Forge) => readFacts(on, repositoryId, lifecycles, checks);
  return { repository, items, lastNumber: lastIssue, rows, released, all: keeper.all, again };
}

async function readIssues(
  { table }: Forge,
  repositoryId: number,
  last: number,
  keeper: ItemKeeper,
): Promise<void> {
  for (let first = 1; first <= last; first += issuesAtOnce) {
    const numbers = Array.from({ length: Math.min(issuesAtOnce, last - first + 1) }, (_, at) => first + at);
    const read = numbers.map((number) => table.queryAll({ pk: issuePartition(repositoryId, number) }));
    for (const items of await Promise.all(read)) for (const item of items) keeper.keep(item);
  }
}
