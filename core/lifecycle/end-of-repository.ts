import type { Forge } from "../forge.ts";
import { issueSequenceKey, lastNumber } from "../ids.ts";
import { clearingUp, type PartCursor, type PartStep } from "../jobs/passes.ts";
import { activityKey, repositoryIndexPartition } from "../list-index/list-index.table.ts";
import { repositoryKey, repositoryPartition } from "../repository/repository.table.ts";
import type { TableKey } from "../table/write.ts";
import { removeIssuePage } from "./end-of-issue.ts";
import { type EndedRepository, partsInOrder, repositoryStages } from "./lifecycle.ts";
import { lifecycles } from "./registry.ts";
import { removePage } from "./remove-page.ts";

/** A hidden repository, and when it was hidden, in milliseconds. */
export interface EmptyingArguments {
  readonly repositoryId: number;
  readonly hiddenAt: number;
}

const issuesPerStep = 20;

async function emptyIssues(
  forge: Forge,
  { repositoryId }: EndedRepository,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const first = Number(inner ?? 1);
  const last = Math.min(
    await lastNumber(forge.table, issueSequenceKey(repositoryId)),
    first + issuesPerStep - 1,
  );
  const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  const emptied = await Promise.all(
    numbers.map((number) => removeIssuePage(forge, { repositoryId, number })),
  );
  const unfinished = emptied.findIndex((page) => page.hasMore);
  const hasFound = emptied.some((page) => page.hasFound);
  if (unfinished >= 0) return { inner: first + unfinished, hasFound, hasMore: true };
  return { inner: last + 1, hasFound, hasMore: numbers.length === issuesPerStep };
}

const alone = lifecycles.flatMap(({ ends }) =>
  Object.values(ends?.repository ?? {}).flatMap((part) => part.alone ?? []),
);

/** The repository's own partition, except its item and what other parts remove. */
function emptyMain(
  forge: Forge,
  { repositoryId }: EndedRepository,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const isKept = ({ sk }: TableKey) =>
    sk === repositoryKey(repositoryId).sk || alone.some((prefix) => sk.startsWith(prefix));
  return removePage(forge, { pk: repositoryPartition(repositoryId) }, isKept, inner);
}

const declared = (...stages: readonly (typeof repositoryStages)[number][]) =>
  partsInOrder(lifecycles, ({ ends }) => ends?.repository, stages);
const beforeIssues = repositoryStages.slice(0, repositoryStages.indexOf("issues"));
const afterIssues = repositoryStages.slice(repositoryStages.indexOf("issues"));

/**
 * Removes everything of a repository that `removeRepository` has hidden. Hooks and the repository's item stay until the
 * end: hooks hear of the deletion, and that message tells of the repository.
 */
export const emptyRepository = clearingUp<EmptyingArguments>({
  parts: [
    ...declared(...beforeIssues),
    { name: "issues", step: emptyIssues },
    ...declared(...afterIssues),
    { name: "main", step: emptyMain },
  ],
  since: (args) => args.hiddenAt,
  finish: ({ table }, { repositoryId }) =>
    table.removeAll([
      issueSequenceKey(repositoryId),
      activityKey(repositoryIndexPartition, repositoryId),
      repositoryKey(repositoryId),
    ]),
});
