import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { PartCursor, PartStep } from "../jobs/passes.ts";
import type { TableKey } from "../table/write.ts";
import type { EndedRepository, EndPart, RepositoryStage } from "./lifecycle.ts";

const itemsPerQuery = 100;

/** Removes a query's worth of a partition, except what is kept. The cursor goes on after it while anything is left. */
export async function removePage(
  { table }: Forge,
  run: { readonly pk: string; readonly prefix?: string },
  isKept: (key: TableKey) => boolean = () => false,
  inner?: PartCursor,
): Promise<PartStep> {
  const { items, next } = await table.query({
    ...run,
    limit: itemsPerQuery,
    ...defined({ after: inner?.toString() }),
  });
  const keys = items.filter((item) => !isKept(item));
  await table.removeAll(keys);
  return { hasFound: keys.length > 0, hasMore: next !== undefined, inner: next };
}

/** The end of a partition beside a repository's own. */
export const partitionBeside = (
  partitionOf: (repositoryId: number) => string,
): EndPart<EndedRepository, RepositoryStage> => ({
  stage: "beside",
  step: (forge, { repositoryId }) => removePage(forge, { pk: partitionOf(repositoryId) }),
});
