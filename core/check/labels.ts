import type { Forge } from "../forge.ts";
import type { Issue } from "../issue/issue.table.ts";
import { type Label, labelPrefix, labelsOf } from "../label/label.table.ts";
import { exclusiveScope } from "../label/scope.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

/**
 * Invariant 16: of the exclusive labels of one scope an issue carries at most one (B-08). Labels that were edited are
 * left out: they may have become exclusive, or come into the scope, on issues that carried both (semantics §9).
 */
export async function checkLabels(forge: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { repository, items, issues } = facts;
  const ofOwner = await forge.table.queryAll<Label>(
    labelsOf({ kind: "organization", id: repository.ownerId }),
  );
  const own = items.filter((item) => item.sk.startsWith(labelPrefix)) as Label[];
  const scopes = new Map<number, string>();
  for (const label of [...own, ...ofOwner]) {
    const scope = exclusiveScope(label);
    if (scope !== undefined && label.v === 1) scopes.set(label.id, scope);
  }
  return [...issues.values()].flatMap((issue): Finding[] => {
    const two = twoOfOneScope(issue, scopes);
    if (two === undefined) return [];
    const problem = `carries the labels ${two.join(" and ")}, of which each excludes the other`;
    return [{ invariant: 16, key: shownKey(issue), problem, remedy: "take one of the two off the issue" }];
  });
}

function twoOfOneScope(
  { labelIds }: Issue,
  scopes: ReadonlyMap<number, string>,
): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const id of labelIds) {
    const scope = scopes.get(id);
    if (scope === undefined) continue;
    const other = seen.get(scope);
    if (other !== undefined) return [other, id];
    seen.set(scope, id);
  }
  return undefined;
}
