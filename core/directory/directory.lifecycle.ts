import type { ItemKind, Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside } from "../lifecycle/remove-page.ts";
import { directoryChecks } from "./directory.check.ts";
import { issueDirectoryPartition } from "./directory.table.ts";
import { foldDirectory, rebuildDamaged } from "./fold-job.ts";
import { foldJobKind, rebuildJobKind } from "./fold-requests.ts";

const kinds = (partition: string): ItemKind[] =>
  ["T#<id>", "TA#<id>", "TP", "S#<first>#<id>", "X#<first>#<id>"].map((sk) => ({
    at: `${partition} / ${sk}`,
  }));

/** Lists that filter, sort, count and page. Those of users and repositories learn of an end by a tombstone in their delta. */
export const directoryLifecycle: Lifecycle = {
  noun: "directory",
  items: [...kinds("R#<repository>#DIR"), ...kinds("DIR#repo"), ...kinds("DIR#user")],
  ends: { repository: { issues: partitionBeside(issueDirectoryPartition) } },
  jobs: { [foldJobKind]: foldDirectory, [rebuildJobKind]: rebuildDamaged },
  checks: directoryChecks,
};
