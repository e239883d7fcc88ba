import { compactionJobKind, rebuildJobKind } from "../../list-index/compaction-requests.ts";
import { compactionJob, rebuildJob } from "../../list-index/jobs.ts";
import {
  artifactIndexPartition,
  issueIndexPartition,
  releaseIndexPartition,
  runIndexPartition,
} from "../../list-index/list-index.table.ts";
import type { ItemKind, Lifecycle } from "../lifecycle.ts";
import { partitionBeside } from "../remove-page.ts";
import { listIndexNamed } from "./all-list-indexes.ts";
import { listIndexChecks } from "./list-index.check.ts";

const kinds = (partition: string): ItemKind[] =>
  ["T#<id>", "TA#<id>", "TP", "S#<first>#<id>", "X#<first>#<id>"].map((sk) => ({
    at: `${partition} / ${sk}`,
  }));

/** Lists that filter, sort, count and page. Those of users and repositories learn of an end by a tombstone in their delta. */
export const listIndexLifecycle: Lifecycle = {
  noun: "list-index",
  items: [
    ...kinds("R#<repository>#DIR"),
    ...kinds("R#<repository>#RELDIR"),
    ...kinds("R#<repository>#ARTDIR"),
    ...kinds("R#<repository>#RUNDIR"),
    ...kinds("O#<owner>#PKGDIR").map((kind) => ({ ...kind, goes: "with the packages of its owner" })),
    ...kinds("DIR#repo"),
    ...kinds("DIR#user"),
  ],
  ends: {
    repository: {
      issues: partitionBeside(issueIndexPartition),
      releases: partitionBeside(releaseIndexPartition),
      artifacts: partitionBeside(artifactIndexPartition),
      runs: partitionBeside(runIndexPartition),
    },
  },
  jobs: { [compactionJobKind]: compactionJob(listIndexNamed), [rebuildJobKind]: rebuildJob(listIndexNamed) },
  checks: listIndexChecks,
};
