import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { findVisibleUser } from "../../user/find.ts";
import { getIssue } from "../change/change.ts";
import { changeAsWriter } from "../change/change-as-writer.ts";
import type { Issue } from "../issue.table.ts";
import { findAssignees, isAssignable, requireFew } from "./assignees.ts";

/** Assigns an issue to more users, by name; 422 as in `findAssignees`, and when there would be more than 10 in all. */
export function addAssignees(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  names: readonly string[],
  actor: Actor,
): Promise<Issue> {
  return changeAsWriter(forge, access, number, actor, async (issue) => {
    const added = await findAssignees(forge, access, actor, names);
    const assigneeIds = [...new Set([...issue.assigneeIds, ...added])].sort((one, other) => one - other);
    requireFew(assigneeIds);
    return { ...issue, assigneeIds };
  });
}

/** Takes users off an issue, by name; a user who was not on it is no error, 422 when there is no such user. */
export function removeAssignees(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  names: readonly string[],
  actor: Actor,
): Promise<Issue> {
  return changeAsWriter(forge, access, number, actor, async (issue) => {
    requireFew(names);
    const found = await Promise.all(names.map((name) => findVisibleUser(forge, actor, name)));
    const unknown = names.filter((_name, place) => found[place] === undefined);
    if (unknown.length > 0) throw unprocessable(`assignee does not exist [name: ${unknown[0]}]`);
    const removed = found.map((user) => user?.id);
    return { ...issue, assigneeIds: issue.assigneeIds.filter((id) => !removed.includes(id)) };
  });
}

/** Whether an issue could be assigned to the user of this name. NotFound when there is no such issue. */
export async function canAssign(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  name: string,
  actor: Actor | undefined,
): Promise<boolean> {
  const [user] = await Promise.all([findVisibleUser(forge, actor, name), getIssue(forge, access, number)]);
  return user !== undefined && isAssignable(forge, access.repository, user);
}
