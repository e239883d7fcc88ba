import { attempts } from "../concurrency/attempts.ts";
import { inTurn } from "../concurrency/turns.ts";
import { conflict, type ForgeError, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId, nextIds } from "../ids.ts";
import type { Owner } from "../owner/owner.ts";
import type { Repository } from "../repository/repository.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { keyText, put, remove, type Write } from "../table/write.ts";
import { bodyProblem, titleProblem } from "../text.ts";
import { type Label, type LabelParent, labelKey, labelsOf, parentIsLive } from "./label.table.ts";

/** The members of a label as callers give them, unchecked. */
export interface NewLabel {
  readonly name: string;
  /** Three or six hex digits, with or without `#`. */
  readonly color: string;
  readonly description?: string;
  readonly isExclusive?: boolean;
  readonly isArchived?: boolean;
}

/** The changes of a label; absent members stay as they are. */
export type LabelChanges = Partial<NewLabel>;

/** The labels of a parent. Each issue shows those that it has, so their descriptions have a bound together. */
const most = { labels: 1_000, descriptionBytes: 256 * 1024 };

/** Creates a label. 422 when a text or the color is not valid, or when the parent has no room for it. */
export async function createLabel(forge: Forge, parent: LabelParent, given: NewLabel): Promise<Label> {
  const problem = settingsProblem(given);
  if (problem !== undefined) throw problem;
  return inTurn(forge, labelsOf(parent).pk, () => createInTurn(forge, parent, given));
}

async function createInTurn(forge: Forge, parent: LabelParent, given: NewLabel): Promise<Label> {
  const existing = await forge.table.queryAll<Label>({ ...labelsOf(parent), limit: most.labels });
  if (existing.length >= most.labels) throw invalid("Labels", `at most ${most.labels} may exist here`);
  requireDescriptions([...existing, given]);
  const label = newLabel(parent, await nextId(forge.table, "label"), given);
  const { committed } = await forge.table.transact([put(label, absent), parentIsLive(parent)]);
  if (!committed) throw notFound("the repository or organization of the label does not exist any more");
  return label;
}

const bytesOf = ({ description = "" }: Pick<NewLabel, "description">): number =>
  Buffer.byteLength(description);

/** 422 when the descriptions of a parent's labels are too long together. */
function requireDescriptions(labels: readonly Pick<NewLabel, "description">[]): void {
  if (labels.reduce((sum, label) => sum + bytesOf(label), 0) > most.descriptionBytes) {
    const mostKib = most.descriptionBytes / 1024;
    throw invalid("Description", `the descriptions of all labels here have at most ${mostKib} KiB together`);
  }
}

const newLabel = (parent: LabelParent, id: number, given: NewLabel): Label => ({
  ...labelKey(parent, id),
  id,
  parent,
  name: given.name,
  color: fullColor(given.color),
  description: given.description ?? "",
  isExclusive: given.isExclusive ?? false,
  isArchived: given.isArchived ?? false,
  v: 1,
  _v: 1,
});

/** Labels that a parent begins with, for the transaction that creates it. */
export async function newLabels(
  forge: Forge,
  parent: LabelParent,
  given: readonly NewLabel[],
): Promise<Write[]> {
  if (given.length === 0) return [];
  const ids = await nextIds(forge.table, "label", given.length);
  return given.map((one, at) => put(newLabel(parent, ids[at] as number, one), absent));
}

/** The label with this id, or undefined. */
const findLabel = (forge: Forge, parent: LabelParent, id: number): Promise<Label | undefined> =>
  forge.table.get<Label>(labelKey(parent, id));

/** The label with this id; NotFound when there is none. */
export async function getLabel(forge: Forge, parent: LabelParent, id: number): Promise<Label> {
  const label = await findLabel(forge, parent, id);
  if (label === undefined) throw notFound(`label does not exist [id: ${id}]`);
  return label;
}

/** The first label of exactly this name; NotFound when there is none. */
export async function getLabelByName(forge: Forge, parent: LabelParent, name: string): Promise<Label> {
  const label = (await listLabels(forge, parent)).find((one) => one.name === name);
  if (label === undefined) throw notFound(`label does not exist [name: ${name}]`);
  return label;
}

/** All labels of a parent by name, at most about 1,000. */
export async function listLabels(forge: Forge, parent: LabelParent): Promise<Label[]> {
  return (await forge.table.queryAll<Label>(labelsOf(parent))).sort(byLabelName);
}

/** The sources of an issue's labels: its repository, and the organization that owns it. */
export type LabelSource = {
  readonly repository: Pick<Repository, "id">;
  readonly owner: Pick<Owner, "id" | "kind">;
};

/** The labels with these ids that issues of a repository may carry, in two requests at most. */
export const findLabelsById = (
  forge: Forge,
  source: LabelSource,
  ids: readonly number[],
): Promise<Map<number, Label>> => findLabelsIn(forge, [{ source, ids }]);

/**
 * Like `findLabelsById`, for issues of several repositories at once: those of organizations in a second request. A
 * label found for one repository may be unusable in another.
 */
export async function findLabelsIn(
  { table }: Forge,
  wanted: readonly { readonly source: LabelSource; readonly ids: readonly number[] }[],
): Promise<Map<number, Label>> {
  const found = new Map<number, Label>();
  for (const place of ["repository", "organization"] as const) {
    const keys = wanted.flatMap(({ source, ids }) => {
      const parent = parentIn(source, place);
      return parent === undefined ? [] : ids.filter((id) => !found.has(id)).map((id) => labelKey(parent, id));
    });
    for (const label of (await table.getAll<Label>(keys)).values()) found.set(label.id, label);
  }
  return found;
}

/** Whether issues of a repository may carry a label. */
export const isUsableLabel = (source: LabelSource, { parent }: Label): boolean =>
  parentIn(source, parent.kind)?.id === parent.id;

function parentIn({ repository, owner }: LabelSource, kind: LabelParent["kind"]): LabelParent | undefined {
  if (kind === "repository") return { kind, id: repository.id };
  return owner.kind === "organization" ? { kind, id: owner.id } : undefined;
}

/** All labels that issues of a repository may carry: its own, then those of its organization. */
export async function listUsableLabels(forge: Forge, source: LabelSource): Promise<Label[]> {
  const parents = (["repository", "organization"] as const).flatMap((kind) => parentIn(source, kind) ?? []);
  return (await Promise.all(parents.map((parent) => listLabels(forge, parent)))).flat();
}

/** Labels in the order in which they are shown. */
export const byLabelName = (one: Label, other: Label): number =>
  one.name === other.name ? one.id - other.id : one.name < other.name ? -1 : 1;

/**
 * Changes a label; issues that carry it stay as they are (D-LABEL). NotFound, 422, Conflict when others keep changing
 * it.
 */
export async function editLabel(
  forge: Forge,
  parent: LabelParent,
  id: number,
  changes: LabelChanges,
): Promise<Label> {
  return inTurn(forge, keyText(labelKey(parent, id)), () => editInTurn(forge, parent, id, changes));
}

async function editInTurn(
  forge: Forge,
  parent: LabelParent,
  id: number,
  changes: LabelChanges,
): Promise<Label> {
  for await (const _attempt of attempts()) {
    const label = await getLabel(forge, parent, id);
    const edited = { ...label, ...changes, v: label.v + 1 };
    const problem = settingsProblem(edited);
    if (problem !== undefined) throw problem;
    if (bytesOf(edited) > bytesOf(label)) {
      const all = await forge.table.queryAll<Label>(labelsOf(parent));
      requireDescriptions([...all.filter((one) => one.id !== id), edited]);
    }
    const whole = { ...edited, color: fullColor(edited.color) };
    if (await forge.table.write(put(whole, equals({ v: label.v })))) return whole;
  }
  throw conflict(`label ${id} is being changed by others; try again`);
}

/** Removes a label, also from issues that carry it. False when there was none. */
export async function removeLabel(forge: Forge, parent: LabelParent, id: number): Promise<boolean> {
  return (await forge.table.transact([remove(labelKey(parent, id), exists)])).committed;
}

const colorForm = /^#?(?:[0-9a-f]{6}|[0-9a-f]{3})$/i;

function fullColor(color: string): string {
  const digits = color.replace("#", "").toLowerCase();
  return `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;
}

function settingsProblem({ name, color, description = "" }: NewLabel): ForgeError | undefined {
  const problem = titleProblem("Name", name) ?? bodyProblem("Description", description);
  if (problem !== undefined) return problem;
  return colorForm.test(color)
    ? undefined
    : invalid("Color", "expected three or six hex digits, with or without # before them");
}
