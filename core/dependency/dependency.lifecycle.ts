import { issuePartition } from "../issue/issue.table.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { dependencyChecks } from "./dependency.check.ts";
import { type DependencyRow, dependencyMirrorKey, dependencyPrefix } from "./dependency.table.ts";

export const dependencyLifecycle: Lifecycle = {
  noun: "dependency",
  items: [
    { at: "I#<repository>.<number> / DEP#on#<repository>.<number>" },
    { at: "I#<repository>.<number> / DEP#by#<repository>.<number>" },
    { at: "R#<repository> / DEPS" },
  ],
  ends: {
    issue: {
      async elsewhere({ table }, address) {
        const pk = issuePartition(address.repositoryId, address.number);
        const rows = await table.queryAll<DependencyRow>({ pk, prefix: dependencyPrefix });
        await table.removeAll(rows.map((row) => dependencyMirrorKey(address, row)));
      },
    },
  },
  checks: dependencyChecks,
};
