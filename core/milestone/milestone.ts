import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { inTurn } from "../concurrency/turns.ts";
import { conflict, type ForgeError, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import { absent, all, below, equals, exists } from "../table/condition.ts";
import { check, keyText, put, remove, update, type Write } from "../table/write.ts";
import { bodyProblem, titleProblem } from "../text.ts";
import { type Milestone, milestoneKey, milestonesOf } from "./milestone.table.ts";

/** The members of a milestone as callers give them, unchecked. */
export interface NewMilestone {
  readonly title: string;
  readonly description?: string;
  /** Whole seconds; 0: none. */
  readonly dueAt?: number;
  readonly isClosed?: boolean;
}

/** The changes of a milestone; absent members stay as they are. */
export type MilestoneChanges = Partial<NewMilestone>;

const mostPerRepository = 1_000;

/** Creates a milestone. 422 when a text is not valid, or when the repository has 1,000 milestones already. */
export async function createMilestone(
  forge: Forge,
  repositoryId: number,
  given: NewMilestone,
): Promise<Milestone> {
  const problem = textProblem(given);
  if (problem !== undefined) throw problem;
  const existing = await forge.table.queryAll({ ...milestonesOf(repositoryId), limit: mostPerRepository });
  if (existing.length >= mostPerRepository) {
    throw invalid("Milestones", `at most ${mostPerRepository} may exist in a repository`);
  }
  const id = await nextId(forge.table, "milestone");
  const now = nowSeconds(forge.clock);
  const isClosed = given.isClosed ?? false;
  const milestone: Milestone = {
    ...milestoneKey(repositoryId, id),
    id,
    repositoryId,
    title: given.title,
    description: given.description ?? "",
    isClosed,
    dueAt: given.dueAt ?? 0,
    openIssues: 0,
    closedIssues: 0,
    createdAt: now,
    updatedAt: 0,
    closedAt: isClosed ? now : 0,
    v: 1,
    _v: 1,
  };
  const isLive = check(repositoryKey(repositoryId), equals({ state: "live" }));
  const { committed } = await forge.table.transact([put(milestone, absent), isLive]);
  if (!committed) throw notFound("the repository does not exist any more");
  return milestone;
}

/** The milestone with this id, or undefined. */
export const findMilestone = (
  forge: Forge,
  repositoryId: number,
  id: number,
): Promise<Milestone | undefined> => forge.table.get<Milestone>(milestoneKey(repositoryId, id));

/** The milestones with these ids, by id. */
export const findMilestonesById = (
  forge: Forge,
  repositoryId: number,
  ids: readonly number[],
): Promise<Map<number, Milestone>> =>
  findMilestonesIn(
    forge,
    ids.map((id) => ({ repositoryId, id })),
  );

/** Like `findMilestonesById`, of any repositories. */
export async function findMilestonesIn(
  { table }: Forge,
  wanted: readonly Pick<Milestone, "repositoryId" | "id">[],
): Promise<Map<number, Milestone>> {
  const found = await table.getAll<Milestone>(
    wanted.map(({ repositoryId, id }) => milestoneKey(repositoryId, id)),
  );
  return new Map([...found.values()].map((milestone) => [milestone.id, milestone]));
}

/** The milestone with this id, else the first with this title; NotFound when there is neither. */
export async function getMilestoneByIdOrTitle(
  forge: Forge,
  repositoryId: number,
  text: string,
): Promise<Milestone> {
  const isId = /^[1-9]\d{0,14}$/.test(text);
  const byId = isId ? await findMilestone(forge, repositoryId, Number(text)) : undefined;
  const found = byId ?? (await listMilestones(forge, repositoryId)).find(({ title }) => title === text);
  if (found === undefined) throw notFound(`milestone does not exist [${isId ? "id" : "title"}: ${text}]`);
  return found;
}

/** All milestones of a repository, at most about 1,000: earlier deadlines first, then by title. */
export async function listMilestones(forge: Forge, repositoryId: number): Promise<Milestone[]> {
  const dueOf = ({ dueAt }: Milestone) => (dueAt === 0 ? Number.POSITIVE_INFINITY : dueAt);
  return (await forge.table.queryAll<Milestone>(milestonesOf(repositoryId))).sort((one, other) => {
    if (dueOf(one) !== dueOf(other)) return dueOf(one) - dueOf(other);
    return one.title === other.title ? one.id - other.id : one.title < other.title ? -1 : 1;
  });
}

/** Changes a milestone. NotFound, 422 when a text is not valid, Conflict when others keep changing it. */
export async function editMilestone(
  forge: Forge,
  repositoryId: number,
  id: number,
  changes: MilestoneChanges,
): Promise<Milestone> {
  const problem = textProblem(changes);
  if (problem !== undefined) throw problem;
  return inTurn(forge, keyText(milestoneKey(repositoryId, id)), () =>
    editInTurn(forge, repositoryId, id, changes),
  );
}

async function editInTurn(
  forge: Forge,
  repositoryId: number,
  id: number,
  changes: MilestoneChanges,
): Promise<Milestone> {
  for await (const _attempt of attempts()) {
    const milestone = await findMilestone(forge, repositoryId, id);
    if (milestone === undefined) throw notFound(`milestone does not exist [id: ${id}]`);
    const now = nowSeconds(forge.clock);
    const isClosed = changes.isClosed ?? milestone.isClosed;
    const closedAt = isClosed === milestone.isClosed ? milestone.closedAt : isClosed ? now : 0;
    const updatedAt = Math.max(milestone.updatedAt, now);
    const set = { ...changes, closedAt, updatedAt, v: milestone.v + 1 };
    const { v, updatedAt: readUpdatedAt } = milestone;
    const when = equals({ v, updatedAt: readUpdatedAt });
    if (await forge.table.write(update(milestoneKey(repositoryId, id), { set }, when))) {
      return { ...milestone, ...set };
    }
  }
  throw conflict(`milestone ${id} is being changed by others; try again`);
}

/** Removes a milestone, also from its issues. NotFound when there is none. */
export async function removeMilestone(forge: Forge, repositoryId: number, id: number): Promise<void> {
  const { committed } = await forge.table.transact([remove(milestoneKey(repositoryId, id), exists)]);
  if (!committed) throw notFound(`milestone does not exist [id: ${id}]`);
}

/**
 * Belongs in the transaction that gives an issue to a milestone, takes it away, opens or closes it: counts it, and
 * raises the milestone's date to `at` (B-03). It holds only while the milestone is as read; otherwise read again.
 */
export function milestoneCountWrite(
  { repositoryId, id, updatedAt }: Milestone,
  by: { readonly openIssues: number; readonly closedIssues: number },
  at: number,
): Write {
  const key = milestoneKey(repositoryId, id);
  const add = { ...by, countChanges: 1 };
  if (at <= updatedAt) return update(key, { add }, exists);
  return update(key, { add, set: { updatedAt: at } }, all(exists, below({ updatedAt: at })));
}

function textProblem({ title, description = "" }: MilestoneChanges): ForgeError | undefined {
  return (
    (title === undefined ? undefined : titleProblem("Title", title)) ??
    bodyProblem("Description", description)
  );
}
