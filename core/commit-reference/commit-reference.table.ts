import { issuePartition } from "../issue/issue.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** Lets an issue learn of a commit once, however often the push is worked on. */
export interface CommitReferenceGuard extends Item {
  /** Its keyword was carried out, too: a push to another branch may come first. */
  readonly isDone: boolean;
  readonly _v: 1;
}

/** Lies at the issue. */
export const commitReferenceKey = (repositoryId: number, number: number, commitId: string): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `K#${commitId}`,
});
