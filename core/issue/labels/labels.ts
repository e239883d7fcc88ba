import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { invalid, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { Label } from "../../label/label.table.ts";
import { byLabelName, findLabelsById, listLabels, listUsableLabels } from "../../label/label.ts";
import { exclusiveScope, twoOfOneScope } from "../../label/scope.ts";
import { changeInSteps } from "../change/change.ts";
import { requireWriter } from "../change/change-as-writer.ts";
import { planIssueChange } from "../change/plan-change.ts";
import { entryIds } from "../change/timeline.ts";
import { dateOfChange } from "../change/update-date.ts";
import type { Issue } from "../issue.table.ts";

/** Labels as callers name them: by id (of the repository or its organization), or by name (of the repository). */
export type LabelReferences = readonly number[] | readonly string[];

/** Labels that one issue carries; more are refused when they are added. */
const mostPerIssue = 100;
/** How many labels one transaction adds or removes, two items each, beside the rest of a change. */
const mostPerStep = 40;

/** The user who changes the labels of an issue, and the date; now when `updatedAt` is absent (B-01). */
export interface LabelChange {
  readonly actor: Actor;
  readonly updatedAt?: number | undefined;
}

/**
 * Adds labels to an issue; answers all its labels, by name. An exclusive label replaces another of its scope; 422,
 * nothing changed, when two of the given ones exclude each other (B-08, D-LABEL). Unknown references are ignored.
 * Forbidden for callers who may not write issues.
 */
export async function addIssueLabels(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  given: LabelReferences,
  by: LabelChange,
): Promise<Label[]> {
  const added = await findLabels(forge, access, given);
  return changeLabels(forge, access, number, by, (carried) => {
    requireOnePerScope(added);
    const scopes = new Set(added.map(exclusiveScope).filter((scope) => scope !== undefined));
    const kept = carried.filter((one) => !scopes.has(exclusiveScope(one) ?? ""));
    return [...kept, ...added];
  });
}

/** Like `addIssueLabels`, replacing the labels of the issue. */
export async function replaceIssueLabels(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  given: LabelReferences,
  by: LabelChange,
): Promise<Label[]> {
  const wanted = await findLabels(forge, access, given);
  return changeLabels(forge, access, number, by, () => {
    requireOnePerScope(wanted);
    return wanted;
  });
}

/** Takes one label off an issue, by id or name, or all when none is named. 422 when there is no such label. */
export async function removeIssueLabels(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  label: number | string | undefined,
  by: LabelChange,
): Promise<void> {
  const isIt = ({ id, name }: Label) => label === undefined || id === label || name === label;
  const known =
    typeof label === "number"
      ? [...(await findLabelsById(forge, access, [label])).values()]
      : await (label === undefined ? [] : listUsableLabels(forge, access));
  await changeLabels(forge, access, number, by, (carried) => {
    if (label !== undefined && !known.some(isIt)) throw unprocessable(`label does not exist [id: ${label}]`);
    return carried.filter((one) => !isIt(one));
  });
}

/** The labels that an issue carries, by name. */
export async function issueLabelsOf(
  forge: Forge,
  access: RepositoryAccess,
  { labelIds }: Pick<Issue, "labelIds">,
): Promise<Label[]> {
  if (labelIds.length === 0) return [];
  return [...(await findLabelsById(forge, access, labelIds)).values()].sort(byLabelName);
}

/** The labels of these references, each once. 422 for more references than an issue may have labels. */
export async function findLabels(
  forge: Forge,
  access: RepositoryAccess,
  given: LabelReferences,
): Promise<Label[]> {
  const names = new Set<number | string>(given);
  if (names.size === 0) return [];
  if (names.size > mostPerIssue) throw invalid("Labels", `at most ${mostPerIssue} may be named at once`);
  const ids = [...names].filter((one): one is number => typeof one === "number");
  if (ids.length > 0) return [...(await findLabelsById(forge, access, ids)).values()];
  const all = await listLabels(forge, { kind: "repository", id: access.repository.id });
  return all.filter(({ name }) => names.has(name));
}

/** 422 naming both when two of the labels exclude each other (D-LABEL). */
export function requireOnePerScope(given: readonly Label[]): void {
  const [one, other] = twoOfOneScope(given) ?? [];
  if (one === undefined || other === undefined) return;
  throw unprocessable(
    `the exclusive labels ${one.name} [id: ${one.id}] and ${other.name} [id: ${other.id}] are of one scope: an issue carries at most one of them`,
  );
}

/**
 * Changes the labels of an issue into the result of `next` for its present ones, and answers them. When they exceed one
 * transaction it works in steps, removals first. Deleted labels get no entry: their ids go with the next step.
 */
async function changeLabels(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  { actor, updatedAt }: LabelChange,
  next: (carried: readonly Label[]) => readonly Label[],
): Promise<Label[]> {
  let wanted: Label[] = [];
  await changeInSteps(forge, access, number, () => {
    const drawIds = entryIds(forge);
    return async (issue) => {
      requireWriter(access, issue);
      const at = dateOfChange(forge, access, issue, updatedAt);
      const carried = await issueLabelsOf(forge, access, issue);
      wanted = [...new Map(next(carried).map((label) => [label.id, label])).values()].sort(byLabelName);
      const { labelIds, labelOrder, hasMore } = stepTo(issue, carried, wanted);
      if (labelOrder.length === 0) return undefined;
      const changing = { actor, at, entryIds: drawIds, labelOrder };
      const planned = await planIssueChange(forge, issue, { ...issue, labelIds }, changing);
      return planned === undefined ? undefined : { ...planned, hasMore };
    };
  });
  return wanted;
}

/**
 * The next step from an issue's labels to the wanted ones: its label ids after it, those to report, and whether more
 * steps follow. 422 when the added labels would be too many.
 */
function stepTo(issue: Issue, carried: readonly Label[], wanted: readonly Label[]) {
  const [before, after] = [new Set(issue.labelIds), new Set(wanted.map(({ id }) => id))];
  const removed = carried.filter(({ id }) => !after.has(id));
  const added = wanted.filter(({ id }) => !before.has(id));
  if (added.length > 0 && wanted.length > mostPerIssue) {
    throw invalid("Labels", `at most ${mostPerIssue} on one issue`);
  }
  const labelOrder = [...removed, ...added].slice(0, mostPerStep).map(({ id }) => id);
  const isNow = (id: number) => (labelOrder.includes(id) ? after : before).has(id);
  const known = new Set([...carried, ...wanted].map(({ id }) => id));
  return {
    labelIds: [...known].filter(isNow).sort((one, other) => one - other),
    labelOrder,
    hasMore: removed.length + added.length > labelOrder.length,
  };
}
