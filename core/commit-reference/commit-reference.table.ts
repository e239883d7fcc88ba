import { issuePartition } from "../issue/issue.table.ts";
import type { Item, TableKey } from "../table.ts";

/** Says of a commit that an issue was told of it: once, however often its push is worked on. */
export interface ToldCommit extends Item {
  /** Its keyword was carried out, too: a push to another branch may come before. */
  readonly isDone: boolean;
  readonly _v: 1;
}

/** Lies at the issue. */
export const toldCommitKey = (repositoryId: number, number: number, commitId: string): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `K#${commitId}`,
});
