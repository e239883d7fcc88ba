import { listInsiders } from "../../access/insiders.ts";
import { accessMode, modeOf, type Rights } from "../../access/modes.ts";
import { findAccessById, type RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { invalid, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { put, remove, type Write } from "../../table/write.ts";
import { findVisibleUser } from "../../user/find.ts";
import type { User } from "../../user/user.table.ts";
import { onlyInFirst } from "../change/timeline.ts";
import { assignedRow, type Issue } from "../issue.table.ts";

/** Users that one issue may be assigned to. */
const mostAssignees = 10;

/**
 * The ids, in order, of the users of these names. An issue of the repository may be assigned to users who may write its
 * code, issues or pulls: 422 for a name of nobody among them, and for more than 10.
 */
export async function findAssignees(
  forge: Forge,
  access: RepositoryAccess,
  actor: Actor,
  names: readonly string[],
): Promise<number[]> {
  const unique = [...new Set(names.map((name) => name.toLowerCase()))];
  requireFew(unique);
  const ids = await Promise.all(unique.map((name) => findAssignee(forge, access, actor, name)));
  return ids.sort((one, other) => one - other);
}

/** 422 for more users than one issue may be assigned to. */
export function requireFew(assignees: readonly unknown[]): void {
  if (assignees.length > mostAssignees) throw invalid("Assignees", `at most ${mostAssignees} users`);
}

async function findAssignee(
  forge: Forge,
  { repository }: RepositoryAccess,
  actor: Actor,
  name: string,
): Promise<number> {
  const user = await findVisibleUser(forge, actor, name);
  if (user === undefined) throw unprocessable(`assignee does not exist [name: ${name}]`);
  if (!(await isAssignable(forge, { id: repository.id, ownerId: repository.ownerId }, user))) {
    throw unprocessable(
      `nothing can be assigned to a user who may not write to the repository [name: ${name}]`,
    );
  }
  return user.id;
}

/** Whether issues and pulls of a repository may be assigned to a user. */
export async function isAssignable(
  forge: Forge,
  { id, ownerId }: { readonly id: number; readonly ownerId: number },
  user: User,
): Promise<boolean> {
  const access = await findAccessById(forge, { user }, id, ownerId);
  return access !== undefined && user.isActive && mayBeAssigned(access.rights);
}

/** The users, among these, to whom issues and pulls of a repository are known to be assignable, by id. */
export const listAssignable = async (forge: Forge, access: RepositoryAccess): Promise<User[]> =>
  (await listInsiders(forge, access)).filter(({ rights }) => mayBeAssigned(rights)).map(({ user }) => user);

const mayBeAssigned = (rights: Rights): boolean =>
  (["code", "issues", "pulls"] as const).some((unit) => modeOf(rights, unit) >= accessMode.write);

/** The rows of an issue among its assignees' issues, for the transaction that changes its assignees. */
export function assigneeWrites(before: Issue, after: Issue): Write[] {
  return [
    ...onlyInFirst(after.assigneeIds, before.assigneeIds).map((userId) => put(assignedRow(after, userId))),
    ...onlyInFirst(before.assigneeIds, after.assigneeIds).map((userId) =>
      remove(assignedRow(before, userId)),
    ),
  ];
}
