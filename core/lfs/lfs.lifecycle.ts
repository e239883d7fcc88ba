import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside } from "../lifecycle/remove-page.ts";
import { endSomeLfsObjects } from "./end.ts";
import { lfsForkJobKind, shareWithFork } from "./fork.ts";
import { lfsChecks } from "./lfs.check.ts";
import { lfsLocksPartition } from "./lfs.table.ts";
import { lfsTemplateJobKind, shareWithGenerated } from "./template.ts";

export const lfsLifecycle: Lifecycle = {
  noun: "lfs",
  items: [
    { at: "R#<repository>#LFS / O#<oid>" },
    { at: "R#<repository>#LFS / SOURCES" },
    { at: "R#<repository>#LFS / FORK#<fork>" },
    { at: "R#<repository>#LFS / WANTED#<fetch>" },
    {
      at: "LFS#<oid> / <upload>#<repository>",
      goes: "with the repository's object; the mark of a given up upload after a week",
    },
    { at: "R#<repository>#LOCK / N#<lock>", counter: "lfs-lock" },
    { at: "R#<repository>#LOCK / P#<path>" },
  ],
  objects: ["lfs/<upload>/<oid>"],
  ends: {
    repository: {
      objects: { step: (forge, { repositoryId }) => endSomeLfsObjects(forge, repositoryId) },
      locks: partitionBeside(lfsLocksPartition),
    },
  },
  checks: lfsChecks,
  jobs: { [lfsForkJobKind]: shareWithFork, [lfsTemplateJobKind]: shareWithGenerated },
};
