import type { Forge } from "../forge.ts";
import { addressIn } from "../issue/checked-issues.ts";
import { issueKey } from "../issue/issue.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put } from "../table/write.ts";
import { type DependencyRow, dependencyMirrorKey } from "./dependency.table.ts";

const kinds = [
  "I#<repository>.<number> / DEP#on#<repository>.<number>",
  "I#<repository>.<number> / DEP#by#<repository>.<number>",
];

/** Invariant 27: both ends of a dependency say so, as long as both exist. */
async function checkDependencies({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const dependencies = kinds.flatMap((kind) => facts.all<DependencyRow>(kind));
  const placed = dependencies.map((item) => {
    const mirrored = addressIn(item);
    return {
      item,
      own: issueKey(mirrored.repositoryId, mirrored.number),
      other: issueKey(item.repositoryId, item.number),
      mirror: dependencyMirrorKey(mirrored, item),
      mirrored,
    };
  });
  const found = await table.getAll(placed.flatMap(({ own, other, mirror }) => [own, other, mirror]));
  return placed.flatMap(({ item, own, other, mirror, mirrored }): Finding[] => {
    if (found.has(keyText(mirror)) || !found.has(keyText(own)) || !found.has(keyText(other))) return [];
    const row: DependencyRow = { ...mirror, ...mirrored, _v: 1 };
    return [
      {
        invariant: 27,
        key: shownKey(mirror),
        problem: `is missing: ${shownKey(item)} is its other end`,
        remedy: "writes it",
        repair: mending([check(item, exists), check(own, exists), check(other, exists)], put(row, absent)),
      },
    ];
  });
}

export const dependencyChecks: Checks = { reads: kinds, live: [checkDependencies] };
