import { issuePartition } from "../../issue/issue.table.ts";
import type { Item, TableKey } from "../../table/write.ts";
import type { WantedMerge } from "./wanted.ts";

/** The merge that waits for the checks of a request; it counts while the request names its `scheduledBy`. */
export interface ScheduledMerge extends Item {
  readonly wanted: Pick<WantedMerge, "style" | "title" | "message" | "deletesBranch">;
  readonly _v: 1;
}

export const scheduledMergeKey = (repositoryId: number, number: number): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: "SCHEDULED",
});
