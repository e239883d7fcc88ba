import type { Actor, TaskGrant } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { actionsUser } from "../user/system-users.ts";
import { type FoundTask, findServedTask, findTaskOfToken } from "./task.ts";

/** What a job's token may be used for, wherever it may anything. It makes no tokens, and changes no account. */
const scopes = [
  ...["write:repository", "write:issue", "write:package"],
  ...["read:misc", "read:organization", "read:user"],
];

/** The Actions user, for the time of a job. */
const user = { ...actionsUser, isLoginProhibited: false };

function actorOf({ run, task }: Pick<FoundTask, "run" | "task">, taskId: number): Actor {
  const isForeign = run.isFromFork === true && run.event !== "pull_request_target";
  const granted: TaskGrant = {
    ...{ taskId, repositoryId: run.repositoryId, runnerId: task.runnerId, mayWrite: !isForeign },
  };
  const grant = { tokenId: 0, holderId: user.id, isMinted: true, scopes, isPublicOnly: false };
  return { user, grant, task: granted };
}

/**
 * The caller who shows the token of a running job (semantics §61): the Actions user, who sees the repository of the job
 * and no other; a job of a fork's request may read alone. Undefined for any other text, and once the job is over.
 */
export async function findTaskActor(forge: Pick<Forge, "table">, text: string): Promise<Actor | undefined> {
  const found = await findTaskOfToken(forge, text);
  return found && actorOf(found, found.taskId);
}

/** The same by the job's task, for work that outlasts a request. */
export async function renewTaskActor(
  forge: Pick<Forge, "table">,
  taskId: number,
): Promise<Actor | undefined> {
  const found = await findServedTask(forge, taskId);
  return found?.job?.state === "running" ? actorOf(found, taskId) : undefined;
}
